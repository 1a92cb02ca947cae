import DaybookDomain
import DaybookEvents

/// What one webhook tells, in neutral events (docs/revenuecat.md).
struct RevenueCatMapping {
    let id: String
    /// The type as it was sent.
    let name: String
    /// `nil`: one that has no meaning here.
    let type: RevenueCatType?
    let signedAt: Int64
    let environment: Environment
    /// The customer; `nil` where none is named, and where a webhook without meaning has a junk id.
    let subject: String?
    let catalog: Catalog?
    var fields: RevenueCatFields
    /// What was decided in reading, kept beside the payload.
    var notes = JSONObject()
    private var leftOutAliases: [String] = []

    /// Reads what all types have.
    init(
        _ given: RevenueCatFields, catalog: Catalog?, environment: Environment
    ) throws(EventProblem) {
        fields = given
        self.catalog = catalog
        guard let id = try fields.text("id") else {
            throw EventProblem(
                .missingKey, "event.id", "a webhook has an id, which its retries have too")
        }
        self.id = id
        guard let name = try fields.peek("type") else {
            throw fields.missing("type", "a webhook says what it is about")
        }
        self.name = name
        type = RevenueCatType(rawValue: name)
        let signedAt = try fields.requiredTime(
            "event_timestamp_ms", "a webhook says when it was made")
        let times = EventBounds.times
        try EventProblem.require(
            times.contains(signedAt), .outOfBounds, "event.event_timestamp_ms",
            "\(signedAt) is outside \(times.lowerBound) to \(times.upperBound)")
        self.signedAt = signedAt
        self.environment = try Self.environment(&fields) ?? environment
        subject = try Self.subject(&fields, type)
    }

    private static func environment(
        _ fields: inout RevenueCatFields
    ) throws(EventProblem) -> Environment? {
        for member in ["environment", "purchase_environment"] {
            guard let word = try fields.text(member) else { continue }
            switch word.lowercased() {
            case "production": return .production
            case "sandbox": return .sandbox
            default:
                throw EventProblem(
                    .unknownEnvironment, "event.\(member)",
                    "\"\(word)\" is no environment; PRODUCTION and SANDBOX are")
            }
        }
        return nil
    }

    private static func subject(
        _ fields: inout RevenueCatFields, _ type: RevenueCatType?
    ) throws(EventProblem) -> String? {
        switch type {
        // The customer of a test is made up, and a transfer names several.
        case .test?, .transfer?: return nil
        case nil:
            guard let name = try fields.peek("app_user_id") else { return nil }
            do throws(EventProblem) {
                try PersonalData.checkCustomer(name, "event.app_user_id")
            } catch {
                return nil
            }
            fields.take("app_user_id")
            return name
        default:
            guard let name = try fields.text("app_user_id") else {
                throw EventProblem(
                    .missingSubject, "event.app_user_id", "the webhook names no customer")
            }
            try PersonalData.checkCustomer(name, "event.app_user_id")
            return name
        }
    }

    // MARK: Drafts

    /// - Parameter suffix: Tells the events of one webhook apart; empty for the one that it is about.
    func draft(
        _ type: EventTypeName, at occurredAt: Int64, suffix: String = "", subject: String? = nil,
        _ data: JSONObject
    ) -> EventDraft {
        EventDraft(
            type: type, environment: environment, subject: subject ?? self.subject,
            occurredAt: occurredAt,
            source: EventSource(
                kind: RevenueCatReader.sourceKind, key: EventSource.boundedKey(id + suffix),
                signedAt: signedAt), trust: .imported, data: data)
    }

    /// The facts and notices, the main one first; nothing for a webhook that is about aliases alone.
    mutating func told() throws(EventProblem) -> [EventDraft] {
        switch type {
        case .initialPurchase?: [try started()]
        case .renewal?: [try renewed()]
        case .nonRenewingPurchase?: try boughtOnce()
        case .cancellation?: try canceled()
        case .refundReversed?: [try refundReversed()]
        case .uncancellation?: [try autoRenew(true, cause: "user")]
        case .billingIssue?: [try billingFailed()]
        case .expiration?: try expired()
        case .productChange?: [try productChanged()]
        case .subscriptionExtended?: [try extended()]
        case .subscriptionPaused?: [try pauseScheduled()]
        case .transfer?: try transferred()
        case .temporaryEntitlementGrant?: try grantedForNow()
        case .virtualCurrencyTransaction?: try currencyMoved()
        case .experimentEnrollment?: [try enrolled()]
        case .subscriberAlias?:
            try aliasedNames().others.isEmpty ? [unknown()] : []
        case .test?: [draft(EventTypeName(.ops, "test_received"), at: signedAt, [:])]
        case .invoiceIssuance?: [draft(EventTypeName(.ops, "invoice_issued"), at: signedAt, [:])]
        case nil: [unknown()]
        }
    }

    /// Stored raw and flagged, with the type as it was sent.
    func unknown() -> EventDraft {
        draft(
            EventTypeName(.ops, "unknown_notification"), at: signedAt,
            ["notification_type": .string(name)])
    }

    // MARK: Aliases

    /// RevenueCat makes these up for people who have not signed in.
    static func isAnonymous(_ name: String) -> Bool { name.hasPrefix("$RCAnonymousID:") }

    /// All names of the customer: the one to show, an own id before a made-up one, and the others in byte order.
    private func aliasedNames() throws(EventProblem) -> (
        shown: String, others: [String], refused: [String]
    ) {
        guard let subject, type != .test else { return ("", [], []) }
        var names = [subject]
        var refused: [String] = []
        func add(_ name: String, _ place: String) {
            do throws(EventProblem) {
                try PersonalData.checkCustomer(name, place)
                if !names.contains(where: { haveSameBytes($0, name) }) { names.append(name) }
            } catch {
                // A guest is not the same person as every other guest, and no address is an id.
                refused.append(place)
            }
        }
        for (index, name) in try fields.texts("aliases").enumerated() {
            add(name, "event.aliases[\(index)]")
        }
        if let name = try fields.peek("original_app_user_id") {
            add(name, "event.original_app_user_id")
        }
        let own = names.filter { !Self.isAnonymous($0) }.sorted(by: precedesInBytes)
        let shown = Self.isAnonymous(subject) ? own.first ?? subject : subject
        let others = names.filter { !haveSameBytes($0, shown) }.sorted(by: precedesInBytes)
        return (shown, others, refused)
    }

    mutating func aliases() throws(EventProblem) -> [EventDraft] {
        let (shown, others, refused) = try aliasedNames()
        leftOutAliases = refused
        if refused.isEmpty, subject != nil {
            fields.take("aliases")
            fields.take("original_app_user_id")
        }
        return others.map { name in
            draft(
                .subjectAliased, at: signedAt, suffix: "#alias/\(name)", subject: name,
                ["alias": .string(name), "canonical": .string(shown), "rule": "revenuecat"])
        }
    }

    // MARK: The rest

    /// Everything that no event of ours says, in the shape of the payload, less what must not be kept.
    func rest(of payload: JSONObject) -> (kept: JSONObject, leftOut: [String], count: Int) {
        var kept = notes
        var paths: [String] = []
        var attributeCount = 0
        for member in payload.members {
            var value = member.value
            if member.name == "event" {
                var event = fields.event
                for name in fields.taken { event[name] = nil }
                // Names and addresses of people, and whatever else an app chose to tell RevenueCat of them.
                if let attributes = event["subscriber_attributes"] {
                    attributeCount = attributes.object?.members.count ?? 0
                    if attributeCount > 0 { paths.append("event.subscriber_attributes") }
                    event["subscriber_attributes"] = nil
                }
                value = .object(event)
            }
            kept[member.name] = PersonalData.without(value, at: member.name, taken: &paths)
        }
        for path in leftOutAliases where !paths.contains(path) { paths.append(path) }
        let count = paths.count + max(0, attributeCount - 1)
        kept.tell(leftOut: paths)
        return (kept, paths, count)
    }
}
