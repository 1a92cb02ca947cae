import DaybookEvents
import DaybookStore

/// Refunds and revocations whose purchase no event tells of.
///
/// One may come before its purchase, so it is recorded. Where it names the wrong transaction, such as an order instead
/// of its items, it takes nothing back and no answer shows it: that is why the caller who records it is told.
struct UnmetRefunds {
    private struct Purchase: Hashable {
        var lineage: StreamName
        var transaction: Reference

        /// - Parameter lineage: The stream of the draft, which is canonical.
        init?(_ draft: EventDraft, in lineage: StreamName) {
            guard let text = draft.data["transaction_id"]?.text else { return nil }
            self.lineage = lineage
            transaction = Reference(text)
        }

        /// 64 bits with a key that only this process has.
        var digest: UInt64 {
            var hasher = Hasher()
            hash(into: &hasher)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    /// In the order of the refunds, each once.
    private var purchases: [Purchase] = []
    /// `apple:2000000123`; only of those that were not met.
    private var names: [Purchase: String] = [:]
    /// The purchases that were taken so far.
    private var met = HashedPlaces()

    /// More are not told.
    private static let countMax = 64
    private static let refundTypes: Set<EventType> = [.purchaseRefunded, .purchaseRevoked]
    private static let purchaseTypes: Set<EventType> = [
        .purchaseCompleted, .subscriptionStarted, .subscriptionRenewed, .storeTransactionStated,
    ]
    private static let refundNames = Set(refundTypes.map { EventTypeName($0) })
    private static let purchaseNames = Set(purchaseTypes.map { EventTypeName($0) })

    var isEmpty: Bool { names.isEmpty }

    /// The refunds among some events, whether their purchases are among them or not.
    /// - Parameter drafts: In canonical form.
    init(_ drafts: [EventDraft]) {
        for draft in drafts where Self.refundNames.contains(draft.type) {
            take(refund: draft, in: EventRouter.stream(of: draft))
        }
    }

    /// Takes the next event of a file: the refunds of which no event of the file tells the purchase, before or after
    /// it, are left at the end.
    mutating func take(_ event: PreparedEvent) {
        if Self.refundNames.contains(event.draft.type) {
            guard let purchase = Purchase(event.draft, in: event.stream) else { return }
            let place = Self.place(purchase.digest)
            guard !met.places(purchase.digest).contains(place) else { return }
            take(refund: event.draft, in: event.stream)
        } else if Self.purchaseNames.contains(event.draft.type) {
            guard let purchase = Purchase(event.draft, in: event.stream) else { return }
            let place = Self.place(purchase.digest)
            // Once: statements of one transaction may come by the thousand.
            if !met.places(purchase.digest).contains(place) { met.note(purchase.digest, at: place) }
            if !isEmpty { names[purchase] = nil }
        }
    }

    /// With the bits that lead there, all bits of a hash.
    private static func place(_ hash: UInt64) -> Int { Int(hash & 0xFFFF_FFFF) }

    private mutating func take(refund draft: EventDraft, in lineage: StreamName) {
        guard let purchase = Purchase(draft, in: lineage), names[purchase] == nil else { return }
        let store = draft.data["store"]?.text ?? "apple"
        purchases.append(purchase)
        names[purchase] = "\(store):\(draft.data["transaction_id"]?.text ?? "")"
    }

    /// The names of those of which a ledger has no purchase either, in the order of the refunds; no more than can be
    /// told.
    func unknown(in core: LedgerCore) throws -> [String] {
        var found: [String] = []
        for purchase in purchases where found.count < Self.countMax {
            guard let name = names[purchase] else { continue }
            // The state is held for one look at a time: a file may have thousands.
            let isKnown = try core.state.withLock { try Self.isKnown(purchase, $0) }
            if !isKnown { found.append(name) }
        }
        return found
    }

    private static func isKnown(_ purchase: Purchase, _ state: LedgerState) throws -> Bool {
        let lineage = purchase.lineage
        guard let stream = state.stream(named: lineage.name, lineage.kind, in: lineage.environment)
        else { return false }
        // What was voided tells of nothing.
        return try AggregateFold(state).events(
            environment: lineage.environment, heads: [state.headOf(stream).position]
        ).contains {
            $0.reference == purchase.transaction && purchaseTypes.contains($0.type)
        }
    }
}

extension LedgerCore {
    /// The transactions that some events take back and that no event has told of, such as `apple:2000000123`: each
    /// once, in the order of the events, at most 64.
    /// - Parameter drafts: In canonical form, and recorded.
    package func unknownTransactions(takenBackBy drafts: [EventDraft]) throws -> [String] {
        try unknownTransactions(of: UnmetRefunds(drafts))
    }

    /// The same of refunds that were gathered.
    func unknownTransactions(of refunds: UnmetRefunds) throws -> [String] {
        try refunds.isEmpty ? [] : translating { try refunds.unknown(in: self) }
    }
}
