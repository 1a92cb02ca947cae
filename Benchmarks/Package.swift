// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "daybook-benchmarks",
    dependencies: [
        .package(name: "daybook", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "daybook-bench",
            dependencies: [
                .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookAudit", package: "daybook"),
                .product(name: "DaybookTesting", package: "daybook"),
                // A product for benchmarks alone: `Benchmarks/run` sets DAYBOOK_BENCHMARKS.
                .product(name: "DaybookFixtures", package: "daybook"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
)
