public import Daybook
public import DaybookEvents
public import DaybookIngest
import Dispatch
public import Logging
import Synchronization

/// What one app is served by: its ledger, and by what payloads of stores for it are believed.
public struct ServedApp: Sendable {
    /// What the operator says of one app.
    public struct Settings: Sendable {
        /// By the environment of the payloads; where one is missing, payloads of it are refused.
        public var verifiers: [Environment: AppStoreVerifier]
        /// What RevenueCat sends in `Authorization`; `nil`: its webhooks are refused.
        public var revenueCatAuthorization: String?

        /// Creates settings; without arguments every payload of a store is refused.
        public init(
            verifiers: [Environment: AppStoreVerifier] = [:],
            revenueCatAuthorization: String? = nil
        ) {
            self.verifiers = verifiers
            self.revenueCatAuthorization = revenueCatAuthorization
        }
    }

    package let ledger: ServedLedger
    /// By environment; where one is missing, payloads of it are refused.
    let verifiers: [Environment: AppStoreVerifier]
    /// SHA-256 of what RevenueCat sends as authorization; `nil`: its webhooks are refused.
    let revenueCatDigest: [UInt8]?
    let refusals = RefusalBudget()

    /// Opens a ledger's file for writing.
    /// - Parameters:
    ///   - path: The ledger's file. Where another file takes its name, that one is opened instead.
    ///   - settings: Those of the app whose name is given, as the ledger has it.
    ///   - log: Is told what was odd and did no harm, and when the file was replaced or cannot be opened again.
    ///   - cacheByteCountMax: About how much memory folded states may take that are kept at hand, in bytes.
    ///   - clock: Milliseconds since 1970 UTC; `nil`: the machine's.
    ///   - progress: Events that are folded, and the position at which the ledger ends.
    /// - Throws: `LedgerError` where the file cannot be opened.
    public init(
        path: String, settings: (_ app: String) -> Settings = { _ in Settings() }, log: Logger,
        cacheByteCountMax: Int = Ledger.cacheByteCountDefault,
        clock: (@Sendable () -> Int64)? = nil,
        progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) throws {
        ledger = try ServedLedger(path: path, log: log) {
            try Ledger.open(
                path, cacheByteCountMax: cacheByteCountMax, log: log, clock: clock,
                progress: progress)
        }
        let settings = settings(ledger.app)
        verifiers = settings.verifiers
        revenueCatDigest = settings.revenueCatAuthorization.map { Digest.sha256($0.utf8) }
    }

    /// Opens a ledger's file for questions alone: nothing is written, to the file or beside it.
    /// - Throws: `LedgerError` where the file cannot be opened.
    package init(
        readOnly path: String, log: Logger, clock: (@Sendable () -> Int64)? = nil,
        progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) throws {
        ledger = try ServedLedger(path: path, isReadOnly: true, log: log) {
            try Ledger.open(path, readOnly: true, log: log, clock: clock, progress: progress)
        }
        verifiers = [:]
        revenueCatDigest = nil
    }

    /// The same on a thread of its own: an opening may take long, and requests are answered meanwhile.
    public static func open(
        path: String, settings: @escaping @Sendable (_ app: String) -> Settings,
        cacheByteCountMax: Int = Ledger.cacheByteCountDefault, log: Logger,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws -> ServedApp {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "daybook.open").async {
                continuation.resume(
                    with: Result {
                        try ServedApp(
                            path: path, settings: settings, log: log,
                            cacheByteCountMax: cacheByteCountMax, progress: progress)
                    })
            }
        }
    }

    /// The app's name, as the ledger has it.
    public var name: String { ledger.app }
}

/// All apps of a server, by name; none before they are open.
package final class ServedLedgers: Sendable {
    private let apps = Mutex<[String: ServedApp]?>(nil)
    let opening = OpeningProgress()

    /// Those that are open now take requests from here on.
    func serve(_ opened: [ServedApp]) {
        let found = Dictionary(
            opened.map { ($0.ledger.app, $0) }, uniquingKeysWith: { first, _ in first })
        apps.withLock { $0 = found }
    }

    /// Empty before they are open.
    var all: [ServedApp] {
        let apps = apps.withLock { $0 ?? [:] }
        return apps.keys.sorted(by: precedesInBytes).compactMap { apps[$0] }
    }

    /// The apps that are served, by the bytes of their names.
    package var names: [String] { all.map(\.name) }

    var isOpen: Bool { apps.withLock { $0 != nil } }

    /// By the bytes of its name.
    func app(_ name: String) -> ServedApp? {
        guard let found = apps.withLock({ $0?[name] }), haveSameBytes(found.ledger.app, name)
        else { return nil }
        return found
    }
}

/// How far the ledgers of a server are opened: what `/ready` tells meanwhile.
public final class OpeningProgress: Sendable {
    private let ledgers = Mutex<[(path: String, done: Int64, end: Int64)]>([])

    /// The progress of a server that has not begun to open a ledger.
    public init() {}

    /// - Parameters:
    ///   - path: The ledger's file, of which `/ready` tells the name without its folders; a later note replaces this
    ///     one.
    ///   - done: The last position that is folded.
    ///   - end: The position at which the ledger ends.
    public func note(_ path: String, _ done: Int64, of end: Int64) {
        ledgers.withLock { ledgers in
            ledgers.removeAll { $0.path == path }
            ledgers.append((path, done, end))
        }
    }

    var json: [JSONValue] {
        ledgers.withLock { $0 }.map { path, done, end in
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return .object([
                "file": .string(name), "position": .integer(done), "end": .integer(end),
            ])
        }
    }
}
