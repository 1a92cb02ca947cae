// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "daybook-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "daybook", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "daybook-bench",
            dependencies: [
                .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookTesting", package: "daybook"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
)
