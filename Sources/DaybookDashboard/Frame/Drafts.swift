import DaybookEvents
import Synchronization

/// Catalogs and events that people tried out and did not publish or record, as long as the server runs; the last ones
/// of each app.
final class Drafts: Sendable {
    private static let countMax = 16

    private let documents = Mutex<[(name: String, bytes: [UInt8])]>([])

    /// - Returns: The name by which the app finds it.
    func keep(_ bytes: [UInt8], app: String) -> String {
        let digest = Digest.hexadecimal(Digest.sha256(bytes))
        documents.withLock { documents in
            documents.removeAll { $0.name == Self.name(app, digest) }
            documents.append((Self.name(app, digest), bytes))
            let own = documents.indices.filter { documents[$0].name.hasPrefix("\(app)/") }
            if own.count > Self.countMax { documents.remove(at: own[0]) }
        }
        return digest
    }

    func document(_ digest: String, app: String) -> [UInt8]? {
        documents.withLock { $0.first { $0.name == Self.name(app, digest) }?.bytes }
    }

    private static func name(_ app: String, _ digest: String) -> String { "\(app)/\(digest)" }
}
