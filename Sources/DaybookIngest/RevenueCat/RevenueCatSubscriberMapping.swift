import DaybookDomain
import DaybookEvents

/// What one subscriber document tells, in neutral events.
///
/// The document was made in one moment and all of it is signed then. Of two statements of one moment the key would
/// decide, so the facts of a purchase are signed a millisecond earlier: what the same document says of renewal and
/// billing counts over the charge that it is said of.
struct RevenueCatSubscriberMapping {
    let subject: String
    let signedAt: Int64
    let environment: Environment
    let catalog: Catalog?
    let subscriber: RevenueCatFields
    /// Which entitlements the document has by a product, by the product's name in the document.
    let entitlements: [String: [String]]
    private(set) var events: [EventDraft] = []
    private(set) var gaps: [RevenueCatSubscriberGap] = []
    private(set) var leftOut: [String] = []
    private var payload: RevenueCatFields
    private let originalName: String?
    /// The products of all purchases, also of the other environment, and how the catalog would name them; `nil`: a
    /// promotion, which no catalog names.
    private var products: [String: String?] = [:]
    private var countOfOthers = 0

    /// Reads what the document says of itself and the customer.
    init(
        _ json: JSONObject, _ subscriber: JSONObject, catalog: Catalog?, environment: Environment,
        subject: String?
    ) throws(EventProblem) {
        self.catalog = catalog
        self.environment = environment
        self.subscriber = RevenueCatFields(event: subscriber, at: "subscriber")
        payload = RevenueCatFields(event: json, at: "")
        var signed = try payload.milliseconds("request_date_ms")
        let date = try payload.moment("request_date")
        signed = signed ?? date?.at
        guard let signed else {
            throw payload.missing("request_date_ms", "a document says when it was made")
        }
        let times = EventBounds.timeMin + 1...EventBounds.timeMax
        try EventProblem.require(
            times.contains(signed), .outOfBounds, "request_date_ms",
            "\(signed) is outside \(times.lowerBound) to \(times.upperBound)")
        signedAt = signed
        originalName = try self.subscriber.peek("original_app_user_id")
        let asked = try payload.text("app_user_id")
        guard let name = subject ?? asked ?? originalName else {
            throw EventProblem(
                .missingSubject, "subscriber.original_app_user_id",
                "the document names no customer")
        }
        if let subject, let asked, !haveSameBytes(subject, asked) {
            throw EventProblem(
                .forbidden, "app_user_id",
                "the document was asked for another customer than --subject names")
        }
        let place = asked == nil ? "subscriber.original_app_user_id" : "app_user_id"
        try PersonalData.checkCustomer(name, subject == nil ? place : "subject")
        self.subject = name
        entitlements = try Self.entitlements(self.subscriber)
    }

    private static func entitlements(
        _ subscriber: RevenueCatFields
    ) throws(EventProblem) -> [String: [String]] {
        var names: [String: [String]] = [:]
        for member in try subscriber.object("entitlements").members {
            let product = member.value.object?["product_identifier"]?.text
            if let product { names[product, default: []].append(member.name) }
        }
        return names
    }

    // MARK: Purchases

    /// The customer and the purchases of the asked environment; a sandbox has only customers who bought there.
    mutating func readPurchases() throws(EventProblem) {
        for member in try subscriber.object("subscriptions").members {
            let path = "subscriber.subscriptions[\"\(member.name)\"]"
            if let purchase = try purchase(member.name, member.value, at: path) {
                try readSubscription(purchase)
            }
        }
        for member in try subscriber.object("non_subscriptions").members {
            let path = "subscriber.non_subscriptions[\"\(member.name)\"]"
            guard let values = member.value.array else {
                throw EventProblem(
                    .wrongType, path, "must be a list, not \(member.value.kindName)")
            }
            for (index, value) in values.enumerated() {
                let path = "\(path)[\(index)]"
                if let purchase = try purchase(member.name, value, at: path) {
                    try readOnce(purchase)
                }
            }
        }
        if countOfOthers > 0 {
            let other = environment == .sandbox ? "production" : "sandbox"
            tell(
                .otherEnvironment, nil,
                "\(countOfOthers) of its purchases \(countOfOthers == 1 ? "is" : "are") of \(other) "
                    + "and left out; --env \(other) takes what is of it")
        }
        let first = try firstSeen()
        if environment != .sandbox || !events.isEmpty { events.insert(first, at: 0) }
    }

    /// - Returns: `nil` for a purchase of the other environment.
    private mutating func purchase(
        _ name: String, _ value: JSONValue, at path: String
    ) throws(EventProblem) -> RevenueCatSubscriberPurchase? {
        guard let object = value.object else {
            throw EventProblem(.wrongType, path, "must be an object, not \(value.kindName)")
        }
        var fields = RevenueCatFields(event: object, at: path)
        let isSandbox = try fields.flag("is_sandbox")
        guard let isSandbox else {
            tell(
                .unknownEnvironment, name,
                "\(name): the document does not say whether it is of the sandbox (is_sandbox); it "
                    + "was left out")
            if products[name] == nil { products[name] = .some(nil) }
            return nil
        }
        if isSandbox != (environment == .sandbox) {
            countOfOthers += 1
            if products[name] == nil { products[name] = .some(nil) }
            return nil
        }
        let purchase = try RevenueCatSubscriberPurchase(fields, name, of: subject)
        products[name] = .some(purchase.isPromotional ? nil : purchase.product)
        if !purchase.isTransactionKnown {
            tell(
                .transaction, name,
                "\(name): the document has no transaction of the store; \(purchase.transaction) "
                    + "stands in for it, and what the store says later is another lineage")
        }
        return purchase
    }

    /// Takes what a purchase came to: the rest of its object goes with the first event.
    mutating func add(
        _ purchase: RevenueCatSubscriberPurchase, _ drafts: [EventDraft], notes: JSONObject
    ) throws(EventProblem) {
        for name in purchase.cut { tellOfCut("\(purchase.fields.path).\(name)") }
        for (index, draft) in drafts.enumerated() {
            var draft = draft
            if index == 0 {
                var told = notes
                var rest = purchase.fields.event
                for name in purchase.fields.taken { rest[name] = nil }
                let path = purchase.fields.path
                told["purchase"] = PersonalData.without(.object(rest), at: path, taken: &leftOut)
                draft.data["revenuecat"] = .object(told)
            }
            do throws(EventProblem) {
                events.append(try EventValidator.canonical(draft))
            } catch {
                throw purchase.inItsWords(error)
            }
        }
    }

    private mutating func firstSeen() throws(EventProblem) -> EventDraft {
        var fields = subscriber
        guard let first = try fields.moment("first_seen") else {
            throw subscriber.missing(
                "first_seen", "a document says when the customer was first seen")
        }
        if first.isCut { tellOfCut("subscriber.first_seen") }
        return draft(
            .subjectCreated, at: first.at, key: "first_seen/\(first.at)",
            ["first_seen_at": .integer(first.at)])
    }

    // MARK: Drafts

    /// - Parameters:
    ///   - key: What is stated, without the customer.
    ///   - isFact: Whether it says what was bought, not how things stand with it.
    func draft(
        _ type: EventTypeName, at time: Int64, key: String, isFact: Bool = false,
        subject: String? = nil,
        _ data: JSONObject
    ) -> EventDraft {
        EventDraft(
            type: type, environment: environment, subject: subject ?? self.subject,
            occurredAt: min(time, signedAt),
            source: EventSource(
                kind: RevenueCatSubscriberReader.sourceKind,
                key: EventSource.boundedKey("\(key)/\(self.subject)"),
                signedAt: isFact ? signedAt - 1 : signedAt),
            trust: .imported, data: data)
    }

    mutating func tell(
        _ code: RevenueCatSubscriberGap.Code, _ name: String?, _ sentence: String
    ) {
        gaps.append(.init(code: code, name: name, sentence: sentence))
    }

    private mutating func tellOfCut(_ place: String) {
        tell(.cutTime, place, "\(place) is finer than milliseconds and was cut")
    }

    // MARK: Entitlements

    /// Nothing is made of an entitlement: it follows from a purchase and the catalog, or it is told of.
    mutating func compareEntitlements() throws(EventProblem) {
        for (product, names) in entitlements.sorted(by: { precedesInBytes($0.key, $1.key) }) {
            for name in names {
                guard let known = products[product] else {
                    tell(
                        .unexplainedEntitlement, name,
                        "\(name): the document has it by \(product), which is not among the "
                            + "purchases; issue a grant where it is to stay")
                    continue
                }
                guard let known, let found = catalog?.product(known),
                    !found.entitlements.contains(where: { haveSameBytes($0, name) })
                else { continue }
                tell(
                    .entitlementDiffers, name,
                    "\(name): the document has it by \(product), and the catalog does not give it "
                        + "for \(known)")
            }
        }
    }

    // MARK: Names of the customer

    /// The name that the document was asked for and the first one that RevenueCat had, where they differ and one of
    /// them is made up: from that one to the own one, as webhooks are read. Two own ids may be two people, and a label
    /// beside the document may be wrong, so they are only told of.
    mutating func aliases() throws(EventProblem) -> [EventDraft] {
        guard !events.isEmpty, let originalName, !haveSameBytes(originalName, subject) else {
            return []
        }
        do throws(EventProblem) {
            try PersonalData.checkCustomer(originalName, "subscriber.original_app_user_id")
        } catch {
            // A guest is not the same person as every other guest, and no address is an id.
            leftOut.append(error.member)
            return []
        }
        let isMadeUp = RevenueCatMapping.isAnonymous(subject)
        guard isMadeUp || RevenueCatMapping.isAnonymous(originalName) else {
            tell(
                .otherID, "original_app_user_id",
                "the document's first id is \(originalName), and neither that nor \(subject) is made "
                    + "up; they stay two customers, and \"daybook alias\" joins them")
            return []
        }
        let isOwn = isMadeUp && !RevenueCatMapping.isAnonymous(originalName)
        let (shown, other) = isOwn ? (originalName, subject) : (subject, originalName)
        let alias = draft(
            .subjectAliased, at: signedAt, key: "alias/\(other)/\(shown)", subject: other,
            ["alias": .string(other), "canonical": .string(shown), "rule": "revenuecat"])
        return [try EventValidator.canonical(alias)]
    }

    // MARK: The rest

    /// With everything that no event says on the customer's own event, in the shape of the document.
    mutating func reading(
        _ aliases: [EventDraft]
    ) throws(EventProblem) -> RevenueCatSubscriberReading {
        let count = leaveOut()
        if !events.isEmpty {
            do throws(EventProblem) {
                events[0] = try EventValidator.canonical(events[0])
            } catch {
                let names = ["occurred_at": "first_seen", "data.first_seen_at": "first_seen"]
                throw EventProblem(
                    error.code, "subscriber.\(names[error.member] ?? "original_app_user_id")",
                    error.reason)
            }
        }
        return RevenueCatSubscriberReading(
            subject: subject, signedAt: signedAt, events: events, aliases: aliases, gaps: gaps,
            leftOut: leftOut, leftOutCount: count)
    }

    /// - Returns: How many attributes and values were left out.
    private mutating func leaveOut() -> Int {
        var rest = payload.event
        for name in payload.taken { rest[name] = nil }
        var inner = subscriber.event
        for name in ["subscriptions", "non_subscriptions", "first_seen"] { inner[name] = nil }
        if !leftOut.contains("subscriber.original_app_user_id") {
            inner["original_app_user_id"] = nil
        }
        // Names and addresses of people, and whatever else an app chose to tell RevenueCat of them.
        let attributes = inner["subscriber_attributes"]?.object?.members.count ?? 0
        if attributes > 0 { leftOut.append("subscriber.subscriber_attributes") }
        inner["subscriber_attributes"] = nil
        rest["subscriber"] = .object(inner)
        var kept = JSONObject()
        for member in rest.members {
            kept[member.name] = PersonalData.without(
                member.value, at: member.name, taken: &leftOut)
        }
        // The payload itself is kept; an event has its bound.
        if kept.canonicalBytes.count > Self.restByteCountMax { kept = ["rest_left_out": true] }
        var seen: Set<String> = []
        leftOut.removeAll { !seen.insert($0).inserted }
        kept.tell(leftOut: leftOut)
        if !events.isEmpty { events[0].data["revenuecat"] = .object(kept) }
        return leftOut.count + max(0, attributes - 1)
    }

    private static let restByteCountMax = 32_768
}
