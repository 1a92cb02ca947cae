import Testing

/// Folders of a target have an order: to read one it takes what lies below it, and nothing else. Between targets the
/// compiler sees to that (`TidyTests`); inside of one it takes arrows in any direction.
@Suite("Order of folders")
struct FolderOrderTests {
    /// The folders of each target from the lowest to the highest; "." is the target's own. A folder in a folder is one
    /// by itself, and files of a folder may use types of their own folder and of those before it.
    static let orders: [String: [String]] = [
        "DaybookEvents": ["Text", "JSON", "Vocabulary", ".", "History", "Codec"],
        "DaybookDomain": [
            "Calendar", "Folding", "Projections/Entitlements", "Projections/Usage",
            "Projections/Funnels", "Catalog", "Catalog/Reading", "Imports", "State",
            "Answers/Entitlements", "Answers/Usage", "Answers/Funnels", "Decisions", "Replay",
            "Audit",
            "Metrics",
        ],
        "DaybookIngest": [
            ".", "Refusals", "Native", "Rows", "RevenueCat", "StoreKitConfiguration",
            "AppStore/JWS", "AppStore/Payloads", "AppStore/Verification", "AppStore/Sandbox",
            "AppStore/Mapping",
        ],
        "DaybookStore": [
            ".", "History", "Snapshots", "Lookup", "Segments", "InMemory", "SQLite", "Verification",
        ],
        "Daybook": [
            "Values", "State", "Replay", "Derived", "Core", "Upkeep", "Commit", "Questions",
            "DryRun", "Intake", ".", "Scale",
        ],
        "DaybookAudit": [".", "Bundles"],
        "DaybookServer": ["Wire", "Metrics", "Access", "Ledgers", "Routes", "Operation"],
        "DaybookDashboard": ["Access", "Frame", "Charts", "Pages", "."],
        "DaybookTesting": ["Stores", "Histories", "Fixtures", "ReferenceModel"],
        "DaybookFixtures": [
            "Network", "Processes", "Apps", "Histories", "Ledgers", "SyntheticMonth", "Goldens",
            "Vocabulary", "Workload",
        ],
        "DaybookSamples": ["."],
        "DaybookCLI": ["Output", "Input", "Demo", "Commands", "."],
    ]

    /// By target, of those that have Swift sources.
    private static let folders: [String: FolderUses] = {
        var files: [String: [String: String]] = [:]
        for (path, target, lines) in TidyTests.sources() {
            files[target, default: [:]][String(path.dropFirst(target.count + 1))] =
                lines.joined(separator: "\n")
        }
        return Dictionary(
            uniqueKeysWithValues: files.map { target, files in
                (target, FolderUses(files, order: orders[target] ?? []))
            })
    }()

    static let targets: [String] = folders.keys.sorted()

    @Test("Every target has an order of its folders")
    func complete() {
        #expect(Self.targets == Self.orders.keys.sorted())
    }

    @Test("Every folder has its place in the order of its target", arguments: targets)
    func places(target: String) {
        for sentence in Self.folders[target]?.misfits ?? [] {
            Issue.record("\(target): \(sentence)")
        }
    }

    @Test("Files use types of their own folder and of lower ones", arguments: targets)
    func climbs(target: String) {
        for sentence in Self.folders[target]?.climbs ?? [] {
            Issue.record("\(target)/\(sentence)")
        }
    }

    @Test("No folders of a target use one another in a circle", arguments: targets)
    func circles(target: String) {
        for sentence in Self.folders[target]?.circles ?? [] {
            Issue.record("\(target): \(sentence)")
        }
    }
}
