import Foundation
import Testing

/// Every import is declared in the manifest, and what is declared there is imported. SwiftPM's own check, a step of
/// `make test`, lets a target import whatever its dependencies depend on.
@Suite("Manifest")
struct ManifestTests {
    /// One target as the manifest declares it.
    struct Target {
        var name: String
        /// `Sources` or `Tests`.
        var folder: String
        /// Names of targets and products.
        var dependencies: [String]
        var hasPackageAccess: Bool
    }

    /// What a product brings besides the module of its own name.
    private static let modules: [String: Set<String>] = ["Yams": ["Yams", "CYaml"]]

    /// What comes with the toolchain.
    private static let system: Set = [
        "Darwin", "Dispatch", "Foundation", "Glibc", "Synchronization", "Testing",
    ]

    private static func manifest() throws -> String {
        try String(contentsOf: TidyTests.root.appending(path: "Package.swift"), encoding: .utf8)
    }

    /// What stands between a bracket and its partner; brackets in strings and comments do not occur in the manifest.
    private static func inside(_ text: Substring, _ open: Character, _ close: Character)
        -> Substring?
    {
        guard let start = text.firstIndex(of: open) else { return nil }
        var depth = 0
        for index in text[start...].indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return text[text.index(after: start)..<index] }
        }
        return nil
    }

    /// The targets that a manifest declares, written as `.target(name: …)` or `tests(…)`.
    static func targets(of manifest: String) -> [Target] {
        guard let start = manifest.range(of: "targets: [\n")?.lowerBound else { return [] }
        let section = manifest[start...]
        return section.matches(of: /\n +(\.target|\.executableTarget|tests)\(/).compactMap {
            match in
            let rest = section[match.range.lowerBound...]
            guard let call = inside(rest, "(", ")"),
                let name = call.firstMatch(of: /"([^"]+)"/)?.1
            else { return nil }
            let isTest = match.1 == "tests"
            // Of tests the array is the second argument, elsewhere it is named; a target may have none.
            let declared =
                isTest ? call[...] : call.range(of: "dependencies:").map { call[$0.upperBound...] }
            let list = declared.flatMap { inside($0, "[", "]") } ?? ""
            // Of a product the first string, its name; the second is its package's.
            let names = list.replacing(/package: "[^"]*"/, with: "").matches(of: /"([^"]+)"/)
            return Target(
                name: isTest ? "\(name)Tests" : String(name), folder: isTest ? "Tests" : "Sources",
                dependencies: names.map { String($0.1) },
                hasPackageAccess: !call.contains("packageAccess: false"))
        }
    }

    /// The modules that the files of a target import.
    private static func imports(of target: Target) -> Set<String> {
        let files = TidyTests.files(in: target.folder).filter { $0.target == target.name }
        return Set(files.flatMap { TidyTests.imports(of: $0.lines) })
    }

    @Test("Every import of every target is declared in the manifest, and nothing else is")
    func declared() throws {
        let targets = Self.targets(of: try Self.manifest())
        #expect(targets.count >= 17)
        for target in targets {
            let imported = Self.imports(of: target).subtracting(Self.system)
            let brought = target.dependencies.map { Self.modules[$0] ?? [$0] }
            let missing = imported.subtracting(brought.joined())
            #expect(missing.sorted() == [], "\(target.name) imports what it does not declare")
            for (dependency, modules) in zip(target.dependencies, brought)
            where imported.isDisjoint(with: modules) {
                Issue.record("\(target.name) declares \(dependency), and no file imports it")
            }
            #expect(
                Set(target.dependencies).count == target.dependencies.count,
                "\(target.name) declares something twice")
        }
    }

    @Test("Every folder of sources and tests is a target, and every target has its folder")
    func folders() throws {
        let targets = Self.targets(of: try Self.manifest())
        for folder in ["Sources", "Tests"] {
            let path = TidyTests.root.appending(path: folder).path
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { !$0.hasPrefix(".") }
            #expect(names.sorted() == targets.filter { $0.folder == folder }.map(\.name).sorted())
        }
    }

    @Test(
        "What only our own tests need is no product, and depends on what is one, not the other way")
    func products() throws {
        let manifest = try Self.manifest()
        let targets = Self.targets(of: manifest)
        let start = try #require(manifest.range(of: "products: [")).lowerBound
        let listed = try #require(Self.inside(manifest[start...], "[", "]"))
        let names = listed.matches(of: /\.(?:library|executable)\(name: "([^"]+)"/).map(\.1)
        #expect(names == ["Daybook", "DaybookAudit", "DaybookServer", "DaybookTesting", "daybook"])
        let testing = try #require(targets.first { $0.name == "DaybookTesting" })
        #expect(!testing.dependencies.contains("DaybookFixtures"))
    }

    @Test("The tests of the testing product see no more of the package than its users do")
    func outside() throws {
        let targets = Self.targets(of: try Self.manifest())
        #expect(targets.filter { !$0.hasPackageAccess }.map(\.name) == ["DaybookTestingTests"])
    }

    @Test("A manifest is read as it is written")
    func reading() {
        let targets = Self.targets(
            of: """
                    products: [.library(name: "A", targets: ["A"])],
                    targets: [
                        .target(name: "C"),
                        .target(
                            name: "A",
                            dependencies: [
                                "C", .product(name: "Yams", package: "Other"),
                            ],
                            swiftSettings: settings),
                        .executableTarget(name: "B", dependencies: ["A"]),
                        tests("A", ["A", "B"], exclude: ["Goldens"], packageAccess: false),
                        tests("Tidy", []),
                    ]
                )
                """)
        #expect(targets.map(\.name) == ["C", "A", "B", "ATests", "TidyTests"])
        #expect(targets.map(\.folder) == ["Sources", "Sources", "Sources", "Tests", "Tests"])
        #expect(targets.map(\.dependencies) == [[], ["C", "Yams"], ["A"], ["A", "B"], []])
        #expect(targets.map(\.hasPackageAccess) == [true, true, true, false, true])
    }
}
