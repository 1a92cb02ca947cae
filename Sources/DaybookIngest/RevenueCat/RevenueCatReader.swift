public import DaybookDomain
public import DaybookEvents

/// Reads webhooks of RevenueCat into neutral events, for people who move (docs/revenuecat.md).
///
/// The way of a payload: bytes → JSON → fields that are read by name (`RevenueCatFields`) → what the type tells
/// (`RevenueCatMapping+….swift`) → what was not read, less personal data → drafts in canonical form. It is a function
/// of the bytes and the catalog alone, so a retry gives the same drafts with the same keys.
public struct RevenueCatReader: Sendable {
    /// A larger payload is refused unread; RevenueCat's have a few KiB.
    public static let byteCountMax = RevenueCatDocument.byteCountMax
    /// The source kind of every event.
    public static let sourceKind = "revenuecat"

    private let catalog: Catalog?
    private let environment: Environment

    /// - Parameters:
    ///   - catalog: Tells what RevenueCat does not: which one-time purchases are consumables, and which product
    ///     changes take effect at once.
    ///   - environment: Of a webhook that names none, as transfers do.
    public init(catalog: Catalog? = nil, environment: Environment = .production) {
        self.catalog = catalog
        self.environment = environment
    }

    /// Reads one payload as it was posted.
    /// - Parameter firstLine: The line of its first byte in a larger file, for messages.
    /// - Throws: The first thing that is wrong, with line, column, member and reason. The bytes belong to the dead
    ///   letters.
    public func read(
        _ bytes: [UInt8], firstLine: Int = 1
    ) throws(LineProblem) -> RevenueCatReading {
        try RevenueCatDocument.read(bytes, firstLine: firstLine, noun: "payload", reading(of:)) {
            LineProblem(payload: bytes, firstLine: firstLine, Self.inTheirWords($0))
        }
    }

    private func reading(of json: JSONValue) throws(EventProblem) -> RevenueCatReading {
        guard let payload = json.object, let event = payload["event"]?.object else {
            throw EventProblem(
                .missingField, "event", "a webhook is an object with the member event")
        }
        var mapping = try RevenueCatMapping(
            RevenueCatFields(event: event), catalog: catalog, environment: environment)
        var told = try mapping.told()
        var aliases = try mapping.aliases()
        let (rest, leftOut, count) = mapping.rest(of: payload)
        if told.isEmpty {
            aliases[0].data["revenuecat"] = .object(rest)
        } else {
            told[0].data["revenuecat"] = .object(rest)
        }
        var reading = RevenueCatReading(
            id: mapping.id, type: mapping.name, events: [], aliases: [], leftOut: leftOut,
            leftOutCount: count, isKnown: mapping.type != nil)
        for draft in told { reading.events.append(try EventValidator.canonical(draft)) }
        for draft in aliases { reading.aliases.append(try EventValidator.canonical(draft)) }
        return reading
    }

    /// What the vocabulary objects to, under the name that the payload has for it.
    private static func inTheirWords(_ problem: EventProblem) -> EventProblem {
        let names = [
            "subject": "app_user_id", "source.key": "id", "source.signed_at": "event_timestamp_ms",
            "occurred_at": "event_timestamp_ms", "data.product": "product_id",
            "data.transaction_id": "transaction_id",
            "data.original_transaction_id": "original_transaction_id",
            "data.price_milli": "price_in_purchased_currency",
            "data.amount_milli": "price_in_purchased_currency", "data.currency": "currency",
            "data.starts_at": "purchased_at_ms", "data.expires_at": "expiration_at_ms",
        ]
        guard let name = names[problem.member] else { return problem }
        return EventProblem(problem.code, "event.\(name)", problem.reason)
    }
}
