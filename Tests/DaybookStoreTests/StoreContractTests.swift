import DaybookStore
import DaybookTesting
import Testing

/// The contract, clause by clause, on every store of this package.
struct StoreContractTests {
    enum Candidate: String, CaseIterable, CustomTestStringConvertible {
        case inMemory = "the store in memory"
        case sqlite = "the SQLite store"
        case uniqueIndex = "the store with unique indexes"
        case overlay = "the store over another one"

        var testDescription: String { rawValue }
    }

    @Test(
        "Every store keeps every clause of the contract", arguments: Candidate.allCases,
        StoreContract.clauses)
    func contract(candidate: Candidate, clause: StoreContract.Clause) throws {
        let folder = try TemporaryFolder()
        let contract = StoreContract {
            switch candidate {
            case .inMemory: InMemoryEventStore(app: "dozzi")
            case .sqlite: try SQLiteEventStore.create(at: folder.newPath(), app: "dozzi")
            case .uniqueIndex: UniqueIndexStore(app: "dozzi")
            case .overlay:
                OverlayStore(
                    InMemoryEventStore(app: "dozzi"),
                    through: StoreHead(position: 0, recordedAt: 0),
                    nameCount: 0, streamCount: 0)
            }
        }
        try contract.check(clause)
    }

    @Test("A store that breaks its promise is told which one")
    func violation() throws {
        let contract = StoreContract {
            let store = InMemoryEventStore(app: "dozzi")
            var builder = BatchBuilder()
            let rows = [builder.row(in: builder.stream("s"), key: "k")]
            try store.exclusively { try $0.append(builder.batch(rows, recordedAt: 1)) }
            return store
        }
        let error = #expect(throws: StoreContract.Violation.self) { try contract.checkAll() }
        #expect(error?.description.hasPrefix("the head: expected") == true)
    }
}
