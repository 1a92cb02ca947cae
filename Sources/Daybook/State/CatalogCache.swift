import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// Catalogs that were read lately, by the digests of their documents.
///
/// Reading a document takes milliseconds, and of a hostile one more. So a thread that brings a document, or notices
/// that another process published one, reads it before taking any lock; code that holds the right to write, or the
/// state, finds it here.
final class CatalogCache: Sendable {
    /// What became of a document.
    enum Outcome: Sendable {
        case catalog(Catalog)
        case unreadable(CatalogProblems)

        init(reading bytes: [UInt8]) {
            do throws(CatalogProblems) {
                self = .catalog(try CatalogReader.read(bytes))
            } catch {
                self = .unreadable(error)
            }
        }

        func get() throws(CatalogProblems) -> Catalog {
            switch self {
            case .catalog(let catalog): return catalog
            case .unreadable(let problems): throw problems
            }
        }
    }

    private struct Content {
        var outcomes: [String: Outcome] = [:]
        /// The digests in the order in which they came.
        var order: [String] = []
    }

    /// The oldest is dropped; a ledger has some dozens, and holds those in force anyway.
    private static let countMax = 256

    private let content = Mutex(Content())
    private let lateReads = Atomic<Int>(0)

    /// How many documents were not here when code that held a lock needed them.
    var lateReadCount: Int { lateReads.load(ordering: .relaxed) }

    subscript(digest: String) -> Outcome? { content.withLock { $0.outcomes[digest] } }

    func keep(_ outcome: Outcome, _ digest: String) {
        content.withLock { content in
            if content.outcomes.updateValue(outcome, forKey: digest) == nil {
                content.order.append(digest)
            }
            guard content.order.count > Self.countMax else { return }
            content.outcomes[content.order.removeFirst()] = nil
        }
    }

    /// Reads a document ahead, where it is not here.
    func take(_ bytes: [UInt8], _ digest: String) {
        if self[digest] == nil { keep(Outcome(reading: bytes), digest) }
    }

    /// For code that holds a lock: what is here, else read now.
    func outcome(_ digest: String, _ bytes: () throws -> [UInt8]) rethrows -> Outcome {
        if let known = self[digest] { return known }
        let outcome = Outcome(reading: try bytes())
        lateReads.add(1, ordering: .relaxed)
        keep(outcome, digest)
        return outcome
    }

    /// More events than these are scanned once: opening a ledger keeps no writer waiting.
    private static let cachedTailMax: Int64 = 16_384

    /// Reads ahead the catalogs that another process published.
    func take(after known: StoreHead, through head: StoreHead, of store: any EventStore) throws {
        let count = head.position - known.position
        guard count > 0, count <= Self.cachedTailMax else { return }
        var positions: [Int64] = []
        try store.scan(
            after: known.checkpoint, through: head.checkpoint, chunkCount: 1_000
        ) { events in
            for index in events.indices where events[index].type == .catalogPublished {
                positions.append(events[index].position)
            }
        }
        for row in try store.rows(at: positions) {
            guard let digest = row.reference, self[digest] == nil,
                let bytes = try store.document(sha256: digest)
            else { continue }
            take(bytes, digest)
        }
    }
}
