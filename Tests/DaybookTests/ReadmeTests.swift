import Daybook
import DaybookTesting
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
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
        try await ledger.record([
            .init(
                type: "purchase.completed", subject: "ada", occurredAt: nil,
                source: .init(kind: "apple", key: "notification-1"), trust: .verified,
                data: [
                    "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                    "transaction_id": "2000000123456789", "price_milli": 2990, "currency": "USD",
                ])
        ])
        let now = try ledger.check("premiumVoices", for: "ada")
        let before = try ledger.status(of: "ada", moment: Moment(knownAt: .position(2))).status
        print(now.allowed, now.reason, "-", before.display?.text ?? "")
        try ledger.close()
        // README ends

        #expect(now.allowed)
        #expect(now.reason == "lifetime")
        #expect(before.display?.text == "1 stories remaining")
        #expect(try Self.snippet() == Self.body())
    }

    private static func place() throws -> Place {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "daybook-readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Place(
            catalog: Fixtures.root.appending(path: "events/dozzi/catalog.yaml"), folder: folder)
    }

    /// The first Swift block of the README.
    private static func snippet() throws -> [String] {
        let lines = try lines(of: Fixtures.root.appending(path: "README.md"))
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

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
