import Testing

/// Tests lie as what they test lies: a folder of tests has the name of a folder of sources, so that the tests of
/// `Commit/` are found in `Commit/`.
@Suite("Folders of tests")
struct TestFolderTests {
    /// The targets whose folders a target of tests may have. What only shows in a whole ledger, such as folds and
    /// stores, is tested with the ledger, in a folder named like that of the target below.
    static let mirrored: [String: [String]] = [
        "DaybookEventsTests": ["DaybookEvents"], "DaybookDomainTests": ["DaybookDomain"],
        "DaybookIngestTests": ["DaybookIngest"], "DaybookStoreTests": ["DaybookStore"],
        "DaybookTests": [
            "Daybook", "DaybookAudit", "DaybookDomain", "DaybookIngest", "DaybookStore",
            "DaybookFixtures",
        ],
        "DaybookServerTests": ["DaybookServer", "DaybookDashboard"],
        "DaybookCLITests": ["DaybookCLI"],
    ]

    /// What tests share, and what tests several areas at once.
    static let support = "Support"

    /// Targets that may have files in no folder: small ones, and those of which some files are about the whole target.
    static let withoutFolders: Set<String> = [
        "DaybookEventsTests", "DaybookIngestTests", "DaybookStoreTests",
        "DaybookTestingTests", "TidyTests",
    ]

    /// The folders of each target of sources, those in folders by their whole path, with those that hold folders alone.
    static func folders(of paths: some Sequence<String>) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for path in paths {
            var names = path.split(separator: "/").dropLast()
            guard let target = names.popFirst() else { continue }
            while !names.isEmpty {
                found[String(target), default: []].insert(names.joined(separator: "/"))
                names.removeLast()
            }
        }
        return found
    }

    /// What is wrong with the place of a test file, as a sentence; `nil`: nothing is.
    /// - Parameters:
    ///   - path: From `Tests` on: `DaybookTests/Commit/ReceiptTests.swift`.
    ///   - folders: Of the sources.
    static func problem(of path: String, _ folders: [String: Set<String>]) -> String? {
        let names = path.split(separator: "/").map(String.init)
        guard names.count > 1 else { return "\(path) belongs to no target" }
        let folder = names[1..<(names.count - 1)].joined(separator: "/")
        if folder.isEmpty {
            if withoutFolders.contains(names[0]) { return nil }
            return "\(path) is in no folder: move it to the one named like what it tests"
        }
        guard let targets = mirrored[names[0]] else {
            return "\(path): the files of \(names[0]) lie side by side"
        }
        let isThere = targets.contains { folders[$0]?.contains(folder) == true }
        if isThere || folder == support { return nil }
        return "\(path): no folder \(folder) is in \(targets.joined(separator: ", "))"
    }

    @Test("Every test file lies in a folder named like the sources that it tests, or in Support")
    func places() {
        let folders = Self.folders(of: TidyTests.sources().map(\.path))
        let paths = TidyTests.files(in: "Tests").map(\.path)
        #expect(paths.count > 200)
        #expect(paths.compactMap { Self.problem(of: $0, folders) } == [])
        let targets = Set(TidyTests.files(in: "Tests").map(\.target))
        #expect(targets == Set(Self.mirrored.keys).union(Self.withoutFolders))
        #expect(Set(Self.mirrored.values.joined()).isSubset(of: FolderOrderTests.orders.keys))
    }

    @Test(
        "A file in no folder, or in one that the sources do not have, is told",
        arguments: [
            ("DaybookTests/NewTests.swift", "is in no folder"),
            ("DaybookCLITests/Tool.swift", "is in no folder"),
            ("DaybookServerTests/NewTests.swift", "is in no folder"),
            ("DaybookTests/Meters/ResetTests.swift", "no folder Meters"),
            ("DaybookTests/Commit/Deep/NewTests.swift", "no folder Commit/Deep"),
            ("DaybookCLITests/Commit/NewTests.swift", "no folder Commit"),
            ("DaybookTests/Support/Deep/New.swift", "no folder Support/Deep"),
            ("DaybookEventsTests/Elsewhere/NewTests.swift", "no folder Elsewhere"),
            ("TidyTests/Support/New.swift", "lie side by side"),
            ("NewTests.swift", "belongs to no target"),
        ])
    func wrongPlaces(path: String, problem: String) throws {
        let folders = Self.folders(of: [
            "Daybook/Ledger.swift", "Daybook/Commit/Journey.swift",
            "DaybookDomain/Answers/Usage/BurnDown.swift", "DaybookCLI/Commands/TickCommand.swift",
            "DaybookEvents/Codec/EventEncoder.swift",
        ])
        #expect(try #require(Self.problem(of: path, folders)).contains(problem))
        for right in [
            "DaybookTests/Commit/NewTests.swift", "DaybookTests/Answers/Usage/NewTests.swift",
            "DaybookTests/Answers/NewTests.swift", "DaybookCLITests/Commands/NewTests.swift",
            "DaybookCLITests/Support/New.swift", "DaybookEventsTests/NewTests.swift",
            "TidyTests/NewTests.swift",
        ] {
            #expect(Self.problem(of: right, folders) == nil)
        }
    }
}
