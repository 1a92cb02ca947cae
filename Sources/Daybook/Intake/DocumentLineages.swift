import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// A lineage of the ledger that a subscriber document is about.
struct DocumentLineage {
    /// `apple:2000000123`.
    var name: String
    var state: LineageState
    /// As the owner is shown; `nil`: it has no owner.
    var owner: String?
    /// Whether that is the customer of the document.
    var isTheirs: Bool

    /// What is known of the transaction that an event is about; `nil`: nothing.
    func fact(of draft: EventDraft) -> TransactionFact? {
        let id = draft.data["transaction_id"]?.text.map { Reference($0) }
        return state.transactions.first { $0.id == id }
    }
}

/// The lineages of a whole environment that have the transactions of one document, and those that it would make.
struct DocumentLineages {
    private var lineages: [String: DocumentLineage] = [:]
    private var found: [Reference: [String]] = [:]

    init(_ drafts: [EventDraft], of customer: CustomerCase, _ builder: CaseBuilder) throws {
        let state = builder.state
        let environment = customer.environment
        let theirs = Self.names(drafts, of: customer, builder)
        for draft in drafts {
            let stream = EventRouter.stream(of: draft)
            guard stream.kind == .lineage, let transaction = draft.data["transaction_id"]?.text
            else {
                continue
            }
            let id = Reference(transaction)
            var streams: [UInt32] = []
            if let own = state.stream(named: stream.name, .lineage, in: environment) {
                streams.append(own)
            }
            if found[id] == nil {
                let others = try Self.streams(with: .reference(environment, id), builder)
                found[id] = others.map { state.streamName($0).name }
                streams += others
            }
            for stream in streams {
                let name = state.streamName(stream).name
                guard lineages[name] == nil else { continue }
                let (lineage, owner) = try builder.lineage(stream)
                let shown =
                    owner == 0 ? nil : builder.shown(CustomerKey(environment, owner))
                lineages[name] = DocumentLineage(
                    name: name, state: lineage, owner: shown,
                    isTheirs: shown.map(theirs.contains) ?? false)
            }
        }
    }

    /// The lineage in which an event of the document would stand by its own name.
    func own(of draft: EventDraft) -> DocumentLineage? {
        lineages[EventRouter.stream(of: draft).name]
    }

    /// The lineages of the same store in which the transaction of an event was told, its own first.
    func holders(of draft: EventDraft) -> [DocumentLineage] {
        guard let transaction = draft.data["transaction_id"]?.text else { return [] }
        let own = EventRouter.stream(of: draft).name
        let store = own.prefix { $0 != ":" } + ":"
        let others = (found[Reference(transaction)] ?? [])
            .filter { !haveSameBytes($0, own) && $0.hasPrefix(store) }.sorted(by: precedesInBytes)
        return ([own] + others).compactMap { lineages[$0] }.filter { lineage in
            lineage.fact(of: draft).map { !$0.coreRank.isNone } ?? false
        }
    }

    /// How the customer of the document is shown, also by the IDs that it joins.
    private static func names(
        _ drafts: [EventDraft], of customer: CustomerCase, _ builder: CaseBuilder
    ) -> Set<String> {
        var names: Set<String> = [customer.subject]
        for draft in drafts {
            let told = [
                draft.subject, draft.data["alias"]?.text, draft.data["canonical"]?.text,
            ]
            for text in told.compactMap({ $0 }) {
                let name = builder.state.customer(named: text, in: customer.environment)
                if let name { names.insert(builder.shown(CustomerKey(customer.environment, name))) }
            }
        }
        return names
    }

    /// The lineages with an event that names an ID.
    private static func streams(with id: EventIDs.ID, _ builder: CaseBuilder) throws -> [UInt32] {
        let state = builder.state
        let (events, _) = try state.events(naming: id, in: state.log.store)
        var streams: [UInt32] = []
        for event in events where !streams.contains(event.stream) {
            if state.stream(event.stream).kind == .lineage { streams.append(event.stream) }
        }
        return streams
    }
}

extension DocumentNews {
    /// When the newest recorded document of a customer was made; `Int64.min`: none is recorded.
    static func newest(_ customer: CustomerCase, _ builder: CaseBuilder) throws -> Int64 {
        let (state, environment) = (builder.state, customer.environment)
        guard let source = state.names.id(of: RevenueCatSubscriberReader.sourceKind),
            let name = state.customer(named: customer.subject, in: environment)
        else { return Int64.min }
        var streams = builder.members(CustomerKey(environment, name)).compactMap {
            state.streamID(environment, .customer, $0)
        }
        streams += customer.lineages.compactMap {
            state.stream(named: $0.name, .lineage, in: environment)
        }
        var newest = Int64.min
        for stream in streams {
            let head = state.headOf(stream).position
            guard head > 0 else { continue }
            for event in try state.log.stream(endingAt: head, cut: Int64.max)
            where event.source == source {
                newest = max(newest, event.signedAt)
            }
        }
        return newest
    }

    /// An event that stands in the lineage that has its transaction, which the document cannot name.
    /// - Throws: `EventProblem` where it is no event of such a lineage.
    static func moved(_ draft: EventDraft, to lineage: String) throws(EventProblem) -> EventDraft {
        var draft = draft
        draft.data["original_transaction_id"] = .string(
            String(lineage.drop { $0 != ":" }.dropFirst()))
        // A consumable is named after its own transaction.
        draft.data["kind"] = nil
        var notes = draft.data["revenuecat"]?.object ?? JSONObject()
        notes["line"] = "known"
        draft.data["revenuecat"] = .object(notes)
        return try EventValidator.canonical(draft)
    }

    static func isMoved(_ draft: EventDraft) -> Bool {
        haveSameBytes(draft.source.kind, RevenueCatSubscriberReader.sourceKind)
            && draft.data["revenuecat"]?.object?["line"] == "known"
    }

    // MARK: Who said it

    func source(_ rank: StatementRank) -> String {
        rank.isNone ? "" : customer.names[rank.source]
    }

    /// Whether a document said it.
    func isDocument(_ rank: StatementRank) -> Bool {
        haveSameBytes(source(rank), RevenueCatSubscriberReader.sourceKind)
    }

    /// Whether a source other than documents and clients said it.
    func isForeign(_ rank: StatementRank) -> Bool {
        !rank.isNone && !isDocument(rank) && rank.classRank > 0
    }

    // MARK: For people

    /// The product, where the event says it.
    static func name(_ draft: EventDraft) -> String {
        let told = ["product", "transaction_id", "grant_id"].compactMap { draft.data[$0]?.text }
        return told.first ?? draft.type.rawValue
    }

    func contradicted(
        _ draft: EventDraft, _ place: String, _ source: String
    ) -> RevenueCatSubscriberGap {
        let name = Self.name(draft)
        return .init(
            code: .contradicted, name: name,
            sentence:
                "\(name): that \(Self.words(draft)) was left out; \(source) says otherwise of "
                + "\(place), and that stays")
    }

    /// What an event says, in a sentence that goes on.
    static func words(_ draft: EventDraft) -> String {
        func date(_ member: String) -> String? {
            draft.data[member]?.integer.map { RFC3339.format($0) }
        }
        let at = draft.occurredAt.map { " on \(RFC3339.format($0))" } ?? ""
        switch draft.type {
        case .subscriptionAutoRenewChanged:
            return draft.data["enabled"] == true
                ? "renewal is on" : "renewal was switched off\(at)"
        case .subscriptionBillingFailed: return "a charge failed\(at)"
        case .purchaseRefunded: return "money went back\(at)"
        case .purchaseRefundReversed: return "no money went back"
        case .subscriptionPauseScheduled: return "it pauses"
        case .grantIssued: return "it ends " + (date("expires_at") ?? "never")
        case .grantVoided: return "it ended\(at)"
        default: return "it was bought\(at)"
        }
    }
}
