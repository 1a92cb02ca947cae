import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Takes in webhooks of RevenueCat.
struct RevenueCatIngest {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Takes in one webhook of RevenueCat's as it was posted (docs/revenuecat.md).
    func ingestRevenueCat(
        _ payload: [UInt8], environment: Environment = .production, isDryRun: Bool = false
    ) async throws -> IngestReceipt {
        if isDryRun {
            return try await RevenueCatIngest(writer: DryRun(core).writer).ingestRevenueCat(
                payload, environment: environment)
        }
        let posted = PostedText(
            bytes: payload, payload: payload, kind: .revenueCat, environment: environment)
        return try await UnsignedIngest(writer: writer).take(posted, identity: Self.identity) {
            receipt in
            let catalog = core.state.withLock { $0.catalogs.newest?.catalog }
            let reader = RevenueCatReader(catalog: catalog, environment: environment)
            let reading = try reader.read(payload)
            try Self.check(reading, environment)
            let drafts = try core.translating { try news(of: reading) }
            if drafts == nil { receipt.duplicates = max(1, reading.events.count) }
            return drafts
        }
    }

    /// Refuses environments that RevenueCat does not have.
    static func checkEnvironment(_ environment: Environment) throws(PayloadRefusal) {
        try PayloadRefusal.require(
            environment == .production || environment == .sandbox, .environment,
            "RevenueCat knows production and sandbox; \(environment.name) takes none of it")
    }

    private static func check(
        _ reading: RevenueCatReading, _ environment: Environment
    ) throws(PayloadRefusal) {
        try checkEnvironment(environment)
        let found = reading.drafts.first?.environment ?? environment
        try PayloadRefusal.require(
            found == environment, .environment,
            "it is of \(found.name); \(environment.name) takes its own alone")
    }

    /// One ID is one webhook for ever; what it says is no part of its identity.
    private static func identity(_ draft: EventDraft) -> Int64 {
        EventJSON.requestDigest(
            of: EventDraft(
                type: EventTypeName(rawValue: "revenuecat"), environment: draft.environment,
                subject: nil, occurredAt: nil,
                source: draft.source, trust: .imported, data: JSONObject()))
    }

    /// What is to be appended of a webhook: without the aliases that are known.
    /// - Returns: `nil` when the webhook was taken in before.
    private func news(of reading: RevenueCatReading) throws -> [EventDraft]? {
        try core.readKeys()
        return try core.state.withLock { state in
            guard let first = reading.drafts.first else { return nil }
            if try state.position(of: first, in: core.store) != nil { return nil }
            // Where the webhook is about aliases alone, the first one holds everything else that it says.
            let always = reading.events.isEmpty ? reading.aliases.prefix(1) : []
            let known = KnownAliases(state: state, cut: Int64.max)
            return reading.events + always
                + reading.aliases.dropFirst(always.count).filter { !known.has($0) }
        }
    }
}

/// The IDs that are known to belong to one person.
struct KnownAliases {
    let state: LedgerState
    /// Only what was recorded at or before this position is known.
    let cut: Int64

    /// Whether an alias says nothing new.
    func has(_ draft: EventDraft) -> Bool {
        func number(_ member: String) -> NameID? {
            draft.data[member]?.text.flatMap { state.customer(named: $0, in: draft.environment) }
        }
        guard let alias = number("alias"), let canonical = number("canonical") else { return false }
        return state.person(CustomerKey(draft.environment, alias), cut: cut).members.contains(
            canonical)
    }
}

extension LineProblem {
    /// Place, reason and code; no bytes.
    var sentence: String {
        "line \(line), column \(column): \(reason) [\(code)]"
    }
}
