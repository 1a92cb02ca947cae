// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it sees no more of Daybook than a user of the library does.
let package = Package(
    name: "examples",
    dependencies: [
        .package(name: "daybook", path: ".."),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Backend",
            dependencies: [
                .product(name: "Daybook", package: "daybook"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
