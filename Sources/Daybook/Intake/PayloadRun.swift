import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// A recorded event that was read from a payload.
struct ReadEventRow {
    /// The member of an envelope that says which key the mapping gave an event that reinterpretation wrote.
    static let marker = "reinterprets"

    let row: EventRow
    let event: RecordedEvent

    var key: String { event.draft.source.key ?? "" }
    var eventKey: EventKey { EventKey(event.draft.environment, row.event.source, row.event.key) }
    var sha256: String { event.draft.extras["raw_sha256"]?.text ?? "" }
    /// The key that the mapping gave it; `nil` for what was recorded when its payload came.
    var marker: String? { event.draft.extras[Self.marker]?.text }
    /// Whether its key is the mapping's: what others were put in the place of, if they were.
    var isRoot: Bool { marker.map { haveSameBytes($0, key) } ?? true }

    /// Who posted it, by the key; the present code ends keys of claims with the customer.
    var claimant: String? {
        guard let subject = event.draft.subject else { return nil }
        // A key that would be too long is a digest, and only names make it so.
        let isNamed = key.hasSuffix("/" + subject) || key.hasPrefix("sha256:")
        return isNamed ? subject : nil
    }
}

/// The events that were read from one payload in one commit: neighbours in the ledger.
struct PayloadRun {
    private(set) var events: [ReadEventRow]
    let bytes: [UInt8]

    init(_ first: ReadEventRow, _ bytes: [UInt8]) {
        events = [first]
        self.bytes = bytes
    }

    var first: ReadEventRow { events[0] }
    var sha256: String { first.sha256 }
    var environment: Environment { first.event.draft.environment }
    var source: String { first.event.draft.source.kind }
    private var isPosted: Bool { haveSameBytes(source, AppStoreMapping.postedSource) }
    private var isDocument: Bool { haveSameBytes(source, RevenueCatSubscriberReader.sourceKind) }

    /// Takes the next event of the ledger if it belongs here.
    mutating func take(_ event: ReadEventRow) -> Bool {
        let last = events[events.count - 1]
        let isNext =
            event.event.position == last.event.position + 1 && event.sha256 == sha256
            && event.event.draft.environment == environment
            && haveSameBytes(event.event.draft.source.kind, source)
            && (event.marker == nil) == (first.marker == nil)
            // Of two customers who posted the same bytes each has a claim.
            && (!isPosted || haveSameBytes(event.claimant, first.claimant) || isClaim(event))
            && (!isDocument || isOfDocument(event))
        if isNext { events.append(event) }
        return isNext
    }

    /// The payload as it is to be read.
    func payload(_ catalog: Catalog?) -> KeptPayload {
        KeptPayload(
            source: source, bytes: bytes, sha256: sha256, environment: environment,
            claimant: claimant, catalog: catalog)
    }

    /// The claim that was made with the one fact before it.
    private func isClaim(_ event: ReadEventRow) -> Bool {
        event.event.draft.type == .purchaseClaimed && events.count == 1 && first.claimant == nil
    }

    /// Of two customers for whom the same document was taken in each has a run of its own, which ends with aliases.
    private func isOfDocument(_ event: ReadEventRow) -> Bool {
        if Self.isAlias(event) { return true }
        return !Self.isAlias(events[events.count - 1])
            && haveSameBytes(event.event.draft.subject, first.event.draft.subject)
    }

    private static func isAlias(_ event: ReadEventRow) -> Bool {
        event.event.draft.type == .subjectAliased
    }

    /// The customer whom a subscriber document was asked for: all its events but the aliases name that customer. Of an
    /// alias alone it is the one of the two who is not the document's own first ID.
    private var asked: String? {
        if let told = events.first(where: { !Self.isAlias($0) }) { return told.event.draft.subject }
        // What cannot be read is told when the payload is mapped.
        let payload = try? JSONReader.read(bytes)
        let original = payload?.object?["subscriber"]?.object?["original_app_user_id"]?.text
        let names = ["canonical", "alias"].compactMap { first.event.draft.data[$0]?.text }
        return names.first { !haveSameBytes($0, original) }
    }

    private var claimant: String? {
        if isPosted { return events[events.count - 1].claimant }
        if isDocument { return asked }
        if let claim = events.first(where: { $0.event.draft.type == .purchaseClaimed }) {
            return claim.event.draft.subject
        }
        // Before there were claims, an event of a lineage named the customer who handed the payload in, and no other; a
        // consumable's named its buyer in any case, as a customer's still does.
        let told = events.filter { $0.event.stream.kind == .lineage }
        if told.isEmpty { return first.event.draft.subject }
        return told.first { !$0.row.event.saysConsumable }?.event.draft.subject
    }
}
