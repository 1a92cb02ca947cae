// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors for us, never for those who depend on the package (the Makefile sets the variable).
let isStrict = Context.environment["DAYBOOK_STRICT"] != nil
let settings: [SwiftSetting] =
    [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")]
    + (isStrict ? [.treatAllWarnings(as: .error)] : [])

// What only our own tests and benchmarks need is no product, except for `Benchmarks/run`, a package of its own.
let isMeasured = Context.environment["DAYBOOK_BENCHMARKS"] != nil

// What makes the documentation is no dependency of those who use the library (`make docs`).
let isDocumented = Context.environment["DAYBOOK_DOCS"] != nil

// - Parameter packageAccess: Without it the tests see what a user of the package sees.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    packageAccess: Bool = true
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, exclude: exclude,
        packageAccess: packageAccess,
        // What is tested is optimized; the tests themselves would take as long to compile as all of it.
        swiftSettings: settings + [.unsafeFlags(["-Onone"])])
}

let package = Package(
    name: "daybook",
    products: [
        .library(name: "Daybook", targets: ["Daybook"]),
        .library(name: "DaybookAudit", targets: ["DaybookAudit"]),
        .library(name: "DaybookServer", targets: ["DaybookServer"]),
        .library(name: "DaybookTesting", targets: ["DaybookTesting"]),
        .executable(name: "daybook", targets: ["DaybookCLI"]),
    ] + (isMeasured ? [.library(name: "DaybookFixtures", targets: ["DaybookFixtures"])] : []),
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(
            url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ]
        + (isDocumented
            ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]
            : []),
    targets: [
        .target(name: "CDaybook"),
        .target(name: "CDaybookServer", exclude: ["openapi.yaml"]),
        .target(name: "CDaybookDashboard", exclude: ["templates", "assets"]),
        .target(name: "CDaybookFixtures"),
        .target(
            name: "DaybookEvents",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .target(
            name: "DaybookDomain",
            dependencies: [
                "DaybookEvents", .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .target(
            name: "DaybookIngest",
            dependencies: [
                "DaybookEvents", "DaybookDomain", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .target(
            name: "DaybookStore",
            dependencies: [
                "CDaybook", "DaybookEvents", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "Daybook",
            dependencies: [
                "CDaybook", "DaybookEvents", "DaybookDomain", "DaybookIngest", "DaybookStore",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "DaybookAudit",
            dependencies: [
                "Daybook", "DaybookEvents", "DaybookDomain", "DaybookIngest", "DaybookStore",
            ],
            swiftSettings: settings),
        .target(
            name: "DaybookServer",
            dependencies: [
                "CDaybookServer", "Daybook", "DaybookAudit", "DaybookEvents", "DaybookDomain",
                "DaybookIngest",
                "DaybookStore", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOCertificateReloading", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .target(
            name: "DaybookDashboard",
            dependencies: [
                "CDaybookDashboard", "Daybook", "DaybookAudit", "DaybookServer", "DaybookEvents",
                "DaybookDomain", "DaybookIngest",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "DaybookCLI",
            dependencies: [
                "Daybook", "DaybookAudit", "DaybookServer", "DaybookDashboard", "DaybookEvents",
                "DaybookDomain",
                "DaybookIngest", "DaybookStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "DaybookTesting",
            dependencies: ["Daybook", "DaybookEvents", "DaybookDomain", "DaybookStore"],
            swiftSettings: settings),
        .target(
            name: "DaybookFixtures",
            dependencies: [
                "CDaybookFixtures", "DaybookTesting", "Daybook", "DaybookAudit", "DaybookEvents",
                "DaybookDomain", "DaybookIngest", "DaybookStore",
            ],
            exclude: ["Apps/sampler.yaml"],
            swiftSettings: settings),
        // Pieces of work whose instructions the tests count.
        .executableTarget(
            name: "DaybookSamples",
            dependencies: [
                "Daybook", "DaybookDomain", "DaybookEvents", "DaybookStore", "DaybookFixtures",
            ],
            swiftSettings: settings),
        tests(
            "DaybookEvents",
            [
                "DaybookEvents", "DaybookDomain", "DaybookTesting",
                "DaybookFixtures", .product(name: "Crypto", package: "swift-crypto"),
            ]),
        tests(
            "DaybookDomain",
            ["DaybookDomain", "DaybookEvents", "DaybookTesting", "DaybookFixtures"]),
        tests(
            "DaybookIngest",
            [
                "DaybookIngest", "DaybookEvents", "DaybookDomain", "Daybook", "DaybookTesting",
                "DaybookFixtures", .product(name: "Crypto", package: "swift-crypto"),
            ]),
        tests(
            "DaybookStore",
            ["DaybookStore", "DaybookEvents", "DaybookTesting", "DaybookFixtures"]),
        tests(
            "Daybook",
            [
                "Daybook", "DaybookAudit", "DaybookEvents", "DaybookDomain", "DaybookIngest",
                "DaybookStore", "DaybookTesting", "DaybookFixtures",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
            ], exclude: ["Goldens"]),
        tests(
            "DaybookCLI",
            [
                "Daybook", "DaybookAudit", "DaybookEvents", "DaybookDomain", "DaybookIngest",
                "DaybookStore", "DaybookTesting", "DaybookFixtures",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Goldens", "Programs"]),
        tests(
            "DaybookServer",
            [
                "DaybookServer", "DaybookDashboard", "Daybook", "DaybookAudit", "DaybookEvents",
                "DaybookDomain", "DaybookIngest", "DaybookStore",
                "DaybookFixtures", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "X509", package: "swift-certificates"),
            ], exclude: ["Peers"]),
        tests("DaybookTesting", ["Daybook", "DaybookTesting"], packageAccess: false),
        tests("Tidy", []),
    ]
)
