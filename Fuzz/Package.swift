// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "daybook-fuzz",
    dependencies: [.package(name: "daybook", path: "..")],
    targets: [
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "daybook-fuzz",
            dependencies: ["CFuzzer", .product(name: "Daybook", package: "daybook")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ],
            // gold, the default on Linux, breaks on the tables of the instrumented objects.
            linkerSettings: [
                .unsafeFlags(["-Xclang-linker", "-fuse-ld=lld"], .when(platforms: [.linux]))
            ]),
    ]
)
