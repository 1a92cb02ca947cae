import Daybook
public import DaybookEvents
public import DaybookIngest
public import Logging

/// What one app is served by: its ledger, and by what payloads of stores for it are believed.
public struct ServedApp: Sendable {
    let ledger: ServedLedger
    /// By environment; where one is missing, payloads of it are refused.
    let verifiers: [Environment: AppStoreVerifier]
    /// SHA-256 of what RevenueCat sends as authorization; `nil`: its webhooks are refused.
    let revenueCatDigest: [UInt8]?
    let refusals: RefusalBudget

    /// Opens a ledger's file for writing.
    /// - Parameters:
    ///   - verifiers: By the environment of the payloads; where one is missing, payloads of it are refused.
    ///   - revenueCatAuthorization: What RevenueCat sends in `Authorization`; `nil`: its webhooks are refused.
    ///   - clock: Milliseconds since 1970 UTC; `nil`: the machine's.
    /// - Throws: `LedgerError` where the file cannot be opened.
    public init(
        path: String, verifiers: [Environment: AppStoreVerifier] = [:],
        revenueCatAuthorization: String? = nil, log: Logger,
        clock: (@Sendable () -> Int64)? = nil
    ) throws {
        ledger = try ServedLedger(path: path, log: log) {
            try Ledger.open(path, log: log, clock: clock)
        }
        self.verifiers = verifiers
        refusals = RefusalBudget(
            waiting: try ledger.asking { try $0.deadLetters().count(where: \.isWaiting) })
        revenueCatDigest = revenueCatAuthorization.map { Digest.sha256($0.utf8) }
    }

    /// The app's name, as the ledger has it.
    public var name: String { ledger.app }
}

/// All apps of a server, by name.
struct ServedLedgers: Sendable {
    private let apps: [String: ServedApp]

    init(_ apps: [ServedApp]) {
        self.apps = Dictionary(
            apps.map { ($0.ledger.app, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var names: [String] { apps.keys.sorted(by: precedesInBytes) }
    var all: [ServedApp] { names.compactMap { apps[$0] } }

    /// By the bytes of its name.
    func app(_ name: String) -> ServedApp? {
        guard let found = apps[name], haveSameBytes(found.ledger.app, name) else { return nil }
        return found
    }
}
