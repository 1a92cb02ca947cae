public import DaybookDomain
public import DaybookEvents

/// Reads webhooks of RevenueCat into neutral events, for people who move (rules §2.7).
///
/// The way of a body: bytes → JSON → fields that are read by name (`RevenueCatFields`) → what the type tells
/// (`RevenueCatMapping+….swift`) → what nobody read, less personal data → drafts in canonical form. It is a function
/// of the bytes and the catalog alone, so a retry gives the same drafts with the same keys.
public struct RevenueCatReader: Sendable {
    /// A larger body is refused unread; RevenueCat's have a few KiB.
    public static let byteCountMax = 1 << 20
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

    /// Reads one body as it was posted.
    /// - Parameter firstLine: The line of its first byte in a larger file, for messages.
    /// - Throws: The first thing that is wrong, with line, column, member and reason. The bytes belong to the dead
    ///   letters.
    public func read(
        _ bytes: [UInt8], firstLine: Int = 1
    ) throws(LineProblem) -> RevenueCatReading {
        guard bytes.count <= Self.byteCountMax else {
            throw LineProblem(
                line: firstLine, column: 1, code: EventProblem.Code.tooLarge.rawValue,
                reason: "the body has \(bytes.count) bytes, more than \(Self.byteCountMax)",
                bytes: bytes)
        }
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(bytes, firstLine: firstLine)
        } catch {
            throw LineProblem(
                line: error.line, column: error.column, code: "bad_json", reason: error.reason,
                bytes: bytes)
        }
        do throws(EventProblem) {
            return try reading(of: json)
        } catch {
            throw LineProblem(body: bytes, firstLine: firstLine, Self.inTheirWords(error))
        }
    }

    private func reading(of json: JSONValue) throws(EventProblem) -> RevenueCatReading {
        guard let body = json.object, let event = body["event"]?.object else {
            throw EventProblem(
                .missingField, "event", "a webhook is an object with the member event")
        }
        var mapping = try RevenueCatMapping(
            RevenueCatFields(event: event), catalog: catalog, environment: environment)
        var told = try mapping.told()
        var aliases = try mapping.aliases()
        let (rest, leftOut, count) = mapping.rest(of: body)
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

    /// What the vocabulary objects to, under the name that the body has for it.
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

extension LineProblem {
    /// A body whose JSON is fine and whose content is not; the place is that of the member.
    /// - Parameter problem: Its member is a path from the outermost object on.
    init(body: [UInt8], firstLine: Int, _ problem: EventProblem) {
        // `event` alone means an envelope of ours to the finder; theirs has a member of that name.
        let offset = MemberPlace.column(of: "event." + problem.member, in: body) - 1
        self.init(body: body, firstLine: firstLine, problem, offset: offset)
    }

    /// The same where the place is known.
    /// - Parameter offset: Of the member's first byte in the body.
    init(body: [UInt8], firstLine: Int, _ problem: EventProblem, offset: Int) {
        let before = body.prefix(offset)
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        self.init(
            line: firstLine + before.count(where: { $0 == 0x0A }), column: offset - start + 1,
            code: problem.code.rawValue, reason: "\(problem.member): \(problem.reason)",
            member: problem.member, bytes: body)
    }
}
