public import Daybook
public import DaybookDomain
public import DaybookEvents
import DaybookTesting

/// March 2026 in the life of an app: a few thousand customers, invented from the app's own catalog.
///
/// They install, look around, sign in, meet limits and paywalls, try, buy, renew, fail to pay, recover, and ask for
/// their money back. Half of them were there before, so that there is something to renew. It reaches the ledger as
/// in life: late, twice, and now and then wrongly, with a correction to follow. The same seed and catalog give the same
/// month everywhere.
public struct SyntheticMonth: Sendable {
    /// 2026-03-01T00:00:00Z.
    public static let start: Int64 = 1_772_323_200_000
    /// 2026-04-01T00:00:00Z, exclusive: nothing happens after it.
    public static let end: Int64 = 1_775_001_600_000

    /// What reached the ledger, in the order of arrival and with `recordedAt`; duplicates included.
    public let deliveries: [EventDraft]
    /// How many deliveries repeat an earlier one.
    public let duplicateCount: Int
    /// The customers of production, one id each: the one that they signed in with, else the anonymous one.
    public let customers: [String]

    /// Invents a month.
    /// - Parameters:
    ///   - subjects: How many people, at least 1; most of them have an anonymous id and one they signed in with. One in
    ///     a hundred lives in the sandbox.
    ///   - zones: Where the customers' time zones come from.
    public init(
        catalog: Catalog, seed: UInt64, subjects: Int = 3_000, zones: ZoneTables = ZoneTables()
    ) {
        precondition(subjects > 0, "A month without customers shows nothing.")
        var author = MonthAuthor(catalog: catalog, seed: seed, zones: zones)
        author.write(subjects: subjects)
        customers = author.shownCustomers
        let drafts = author.generator.drafts
        var post = MonthPost(seed: seed)
        deliveries = post.deliver(drafts)
        duplicateCount = deliveries.count - drafts.count
    }

    /// What becomes of a share of the customers, as a month of its own.
    /// - Parameter names: Customers of production; the other ids of the same person, and every lineage that names them,
    ///   come along.
    public func deliveries(about names: Set<String>) -> [EventDraft] {
        let ids = deliveries.reduce(into: names) { ids, draft in
            guard draft.type == .subjectAliased, let alias = draft.data["alias"]?.text,
                let canonical = draft.data["canonical"]?.text, names.contains(canonical)
            else { return }
            ids.insert(alias)
        }
        var lineages: Set<StreamName> = []
        var keys: Set<String> = []
        for draft in deliveries where ids.contains(draft.subject ?? "") {
            let stream = EventRouter.stream(of: draft)
            if stream.kind == .lineage { lineages.insert(stream) }
        }
        var own: [EventDraft] = []
        for draft in deliveries {
            let isOwn =
                draft.subject.map(ids.contains) ?? false
                || lineages.contains(EventRouter.stream(of: draft))
            if isOwn, let key = draft.source.key { keys.insert(key) }
            let target = draft.data.value(at: ["target", "key"])?.text
            if isOwn || target.map(keys.contains) ?? false { own.append(draft) }
        }
        return own
    }
}

/// Brings what happened to the ledger: seldom at once, sometimes twice, seldom in order.
struct MonthPost {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed ^ 0x706F_7374) }

    private struct Parcel {
        var arrivesAt: Int64
        var number: Int
        var draft: EventDraft
    }

    mutating func deliver(_ drafts: [EventDraft]) -> [EventDraft] {
        var parcels: [Parcel] = []
        for (number, draft) in drafts.enumerated() {
            // What is not signed yet cannot be delivered.
            let tellable = max(draft.occurredAt ?? 0, draft.source.signedAt ?? 0)
            let arrivesAt = tellable + delay(of: draft)
            parcels.append(Parcel(arrivesAt: arrivesAt, number: number, draft: draft))
            // Stores and clients send again what was not acknowledged in time; our own commands do not.
            guard draft.source.kind != "ledger", Int.random(in: 0..<100, using: &random) < 2 else {
                continue
            }
            let again = arrivesAt + between(1_000, 6 * 3_600_000)
            parcels.append(Parcel(arrivesAt: again, number: number, draft: draft))
        }
        parcels.sort { ($0.arrivesAt, $0.number) < ($1.arrivesAt, $1.number) }
        return parcels.map { parcel in
            var draft = parcel.draft
            draft.recordedAt = parcel.arrivesAt
            return draft
        }
    }

    /// How long it takes: nothing for ourselves, seconds as a rule, days without a network.
    private mutating func delay(of draft: EventDraft) -> Int64 {
        guard draft.source.kind != "ledger" else { return 0 }
        let isStore = draft.trust == .verified
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<2: return between(6 * 3_600_000, 5 * EventGenerator.day)
        case 2..<(isStore ? 5 : 12): return between(60_000, 6 * 3_600_000)
        default: return isStore ? between(1_000, 60_000) : between(50, 3_000)
        }
    }

    private mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
        Int64.random(in: low...high, using: &random)
    }
}
