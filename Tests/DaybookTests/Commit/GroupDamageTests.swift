import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Testing

/// One damaged row, and the requests that share a commit with the one that meets it.
@Suite("Damage within a group")
struct GroupDamageTests {
    /// A ledger file with a use by each of three customers, in which the last event of one leads nowhere.
    private static func damaged(_ folder: LedgerFolder) async throws -> Ledger {
        let ledger = try await folder.create("dozzi", clock: { Fixtures.now })
        for name in ["ada", "bob", "cy"] {
            try await ledger.consume("stories", by: name, ref: "\(name)-1")
        }
        try await ledger.consume("stories", by: "ada", ref: "ada-2")
        let last = try #require(try ledger.history(of: "ada").last?.event.position)
        try ledger.close()
        let store = try SQLiteEventStore(path: folder.path)
        try store.executeOnWriteConnection("DROP TRIGGER events_no_update")
        // Position 1 is the catalog's, of another stream.
        try store.executeOnWriteConnection(
            "UPDATE events SET previous = 1 WHERE position = \(last)")
        try store.close()
        return try Ledger.open(folder.path, clock: { Fixtures.now })
    }

    private func use(_ name: String, _ ref: String) -> CommandRequest {
        CommandRequest(
            .consume(meter: "stories", amount: 1, ref: ref), subject: name, key: "\(name)/\(ref)")
    }

    @Test("Only the request that meets the damage fails; the others of its group are committed")
    func onlyOne() async throws {
        let folder = try LedgerFolder()
        let ledger = try await Self.damaged(folder)
        let head = try ledger.head().position
        let results = ledger.writer.performTogether([
            use("bob", "bob-2"), use("ada", "ada-3"), use("cy", "cy-2"), use("ada", "ada-4"),
            use("new", "new-1"),
        ])
        #expect(results.count == 5)
        for (index, result) in results.enumerated() {
            switch result {
            case .success(let receipt):
                #expect([0, 2, 4].contains(index))
                #expect(!receipt.positions.isEmpty)
            case .failure(.store(let error)):
                #expect([1, 3].contains(index))
                #expect(error.code == .damaged)
            case .failure(let error): Issue.record("\(error)")
            }
        }
        let positions = results.flatMap { (try? $0.get().positions) ?? [] }
        #expect(positions == Array(head + 1...(try ledger.head().position)))
        for (name, used) in [("bob", 2), ("cy", 2), ("new", 1)] {
            #expect(try ledger.check("stories", for: name).usage?.used == Int64(used), "\(name)")
        }
        // The key of what failed is free.
        #expect(throws: LedgerError.self) { try ledger.check("stories", for: "ada") }
        try await ledger.consume("stories", by: "dan", ref: "dan-1", key: "ada/ada-3")
        try ledger.close()
    }

    @Test("Of a group that is decided side by side, too, only those who meet the damage fail")
    func sideBySide() async throws {
        let folder = try LedgerFolder()
        let ledger = try await Self.damaged(folder)
        let head = try ledger.head().position
        let names = ["bob", "ada", "cy", "ada"] + (0..<20).map { "new-\($0)" }
        let results = ledger.writer.performTogether(
            names.enumerated().map { index, name in use(name, "\(name)-g\(index)") })
        try #require(results.count == names.count)
        for (name, result) in zip(names, results) {
            #expect(((try? result.get()) == nil) == (name == "ada"), "\(name): \(result)")
        }
        let positions = results.flatMap { (try? $0.get().positions) ?? [] }
        #expect(positions.count >= 22)
        #expect(positions == Array(head + 1...(try ledger.head().position)))
        try ledger.close()
    }

    @Test("A failure for another reason than damage fails the whole group")
    func environment() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi()
        try await ledger.consume("stories", by: "ada", ref: "ada-1", key: "k1")
        store.fail(.rows)
        let results = ledger.writer.performTogether([
            use("bob", "bob-1"),
            CommandRequest(
                .consume(meter: "stories", amount: 1, ref: "ada-1"), subject: "ada", key: "k1"),
        ])
        store.fail(.none)
        #expect(results.count == 2)
        for result in results {
            #expect(throws: LedgerError.self) { try result.get() }
        }
        #expect(try ledger.head().position == 2)
    }
}
