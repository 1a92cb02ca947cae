import Daybook
import Foundation
import Testing

/// One import of ours, as a user has it: whatever the README's snippet names must come with `Daybook`.
@Suite("README")
struct ReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Where the catalog of the snippet is, and where its ledger shall be.
    private struct Place {
        let catalog: URL
        let folder: URL

        var ledger: String { folder.appending(path: "dozzi.sqlite").path }
    }

    @Test("The library in ten lines is what the README shows, and it runs")
    func library() async throws {
        let place = try Self.place()
        defer { try? FileManager.default.removeItem(at: place.folder) }
        let (catalog, path) = (place.catalog, place.ledger)

        // README begins
        let yaml = try [UInt8](Data(contentsOf: catalog))
        let ledger = try await Ledger.create(at: path, catalog: yaml)  // later: Ledger.open(path)
        try await ledger.consume("stories", by: "ada", ref: "story-1")
        let purchase = EventDraft(
            type: .purchaseCompleted, subject: "ada", occurredAt: nil,
            source: EventSource(kind: "apple", key: "notification-1"), trust: .verified,
            data: [
                "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                "transaction_id": "2000000123456789", "price_milli": 2990, "currency": "USD",
            ])
        try await ledger.record([purchase])
        let now = try ledger.check("premiumVoices", for: "ada")
        let before = try ledger.status(of: "ada", moment: Moment(knownAt: .position(2))).status
        print(now.allowed, now.reason, "-", before.display?.text ?? "")
        try ledger.close()
        // README ends

        #expect(now.allowed)
        #expect(now.reason == .lifetime)
        #expect(before.display?.text == "1 stories remaining")
        #expect(try Self.snippet() == ["import Daybook", "import Foundation", ""] + Self.body())
    }

    @Test("Every type that the ledger takes and gives comes with the one import")
    func types() async throws {
        let ledger = try Ledger(inMemory: "dozzi")
        let place = try Self.place()
        defer { try? FileManager.default.removeItem(at: place.folder) }
        let scope: CatalogScope = .all
        try await ledger.publish(
            CatalogPublication(
                document: [UInt8](try Data(contentsOf: place.catalog)), scope: scope))
        let command: Command = .consume(meter: "stories", amount: 1, ref: "s1")
        let receipt: Receipt = try await ledger.perform(CommandRequest(command, subject: "ada"))
        #expect(receipt.positions == [2])
        let question = CheckQuestion("stories", amount: 1)
        let decision: Decision = try ledger.check(question, for: "ada", environment: .production)
            .decision
        #expect(decision.allowed)
        let status: Status = try ledger.status(of: "ada").status
        #expect(status.isKnown)
        let data: JSONObject = ["context": "x"]
        let value: JSONValue = .object(data)
        let trust: Trust = .imported
        let environment: Environment = .sandbox
        #expect(value.object == data && trust.name == "imported" && environment.name == "sandbox")
        let store: any EventStore = InMemoryEventStore(app: "dozzi")
        #expect(try store.head().position == 0)
        do {
            _ = try Ledger.open(place.folder.path + "/nothing.sqlite")
        } catch LedgerError.store(let failure) {
            let error: StoreError = failure
            #expect(error.code == .notFound)
        }
        let lines = Array("{}\n".utf8)
        var pieces = [lines]
        let report = try await ledger.importLines(
            { pieces.popLast() }, options: ImportOptions(keepsGoing: true))
        let problem: LineProblem? = report.refused.first
        #expect(problem?.code == "missing_field")
        #expect(problem.map { InputProblem($0).line } == 1)
    }

    private static func place() throws -> Place {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "daybook-readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Place(catalog: root.appending(path: "events/dozzi/catalog.yaml"), folder: folder)
    }

    /// The first Swift block of the README.
    private static func snippet() throws -> [String] {
        let lines = try lines(of: root.appending(path: "README.md"))
        let start = try #require(lines.firstIndex(of: "```swift"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        return Array(lines[(start + 1)..<end])
    }

    /// What stands between the markers of this file, without its indentation.
    private static func body() throws -> [String] {
        let lines = try lines(of: URL(filePath: #filePath))
        let start = try #require(lines.firstIndex { $0.hasSuffix("// README begins") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("// README ends") })
        let indentation = lines[start].prefix { $0 == " " }.count
        return lines[(start + 1)..<end].map { String($0.dropFirst(indentation)) }
    }

    @Test("These tests import one module of ours")
    func imports() throws {
        let imports = try Self.lines(of: URL(filePath: #filePath)).filter {
            $0.hasPrefix("import ")
        }
        #expect(imports == ["import Daybook", "import Foundation", "import Testing"])
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
