import DaybookDomain
import DaybookEvents

/// What seldom happens, reported out of order, twice, or by a source that should not know.
extension EventGenerator {
    mutating func surprise(_ index: Int) {
        switch Int.random(in: 0..<(sellsCredits ? 13 : 12), using: &random) {
        case 0: meetAgain(index)
        case 1: refuse(index)
        case 2: pin(index)
        case 3: aliasOddly(index)
        case 4, 5: grantOddly(index)
        case 6: reserveOddly(index)
        case 7: changeProfileOddly(index)
        case 8, 9: tellOfLineage(index)
        case 10: clientSpeaks(index)
        case 11: useProfileGauge(index)
        default: claimOddly(index)
        }
    }

    /// Any customer of the same environment, the same one included.
    mutating func anyCustomer(_ index: Int) -> String {
        pick(neighbours(of: index)).map { spelled($0.name) } ?? "nobody-else"
    }

    /// A lineage that the customer has something to do with, and one of its transactions.
    private mutating func reference(_ index: Int) -> JSONObject? {
        pick(customers[index].transactions).map(Self.reference)
    }

    static func reference(to transaction: String) -> JSONObject {
        let lineage = transaction.split(separator: "-").first.map(String.init) ?? transaction
        return [
            "original_transaction_id": .string(lineage), "transaction_id": .string(transaction),
        ]
    }

    // MARK: Customers

    /// First seen a second time, elsewhere, or earlier than was said.
    private mutating func meetAgain(_ index: Int) {
        let time = moment(index)
        var fields: JSONObject = ["first_seen_at": .integer(time - number(0...60) * Self.day)]
        if chance(70), let zone = pick(Self.zones) { fields["tz"] = .string(zone) }
        add(.subjectCreated, index, at: time, fields, trust: .system)
    }

    /// Evidence folds as nothing but steps of funnels (rule 21), also where it comes first.
    private mutating func refuse(_ index: Int) {
        let time = chance(30) ? Self.start - number(1...90) * Self.day : moment(index)
        let fields: JSONObject = [
            "feature": "anything", "reason_code": "limit_reached", "meter": "anything",
            "transaction_id": "none",
        ]
        if chance(20) {
            // Consent is withdrawn, and now and then given again.
            add(.consentRescinded, index, at: time, JSONObject(), trust: .verified)
            let again = time + number(1...60) * Self.day
            if chance(60) { add(.consentGiven, index, at: again, JSONObject()) }
            return
        }
        let type: EventTypeName? = pick([
            .accessDenied, .limitReached, .featureRestricted, .assignmentConflict,
        ])
        add(type ?? .accessDenied, index, at: time, fields, source: "ledger", trust: .system)
    }

    private mutating func pin(_ index: Int) {
        let item: JSONValue = .string(pick(customers[index].profiles) ?? "item-\(number(1...6))")
        if chance(50) {
            return _ = add(.gaugePinned, index, at: moment(index), ["item": item])
        }
        var fields: JSONObject = ["ref": item]
        let gauges = catalog.meters.filter { $0.kind == .gauge }
        if chance(50), let meter = pick(gauges) { fields["meter"] = .string(meter.name) }
        add(.gaugePinned, index, at: moment(index), fields, version: 2)
    }

    /// An alias that the other side tells, in both directions, or through an id that never did anything; and one
    /// that is taken back from all its customers at once.
    private mutating func aliasOddly(_ index: Int) {
        let own = customers[index].name
        let bridge = chance(40) ? "bridge-\(number(1...2))" : anyCustomer(index)
        let other = chance(30) ? bridge : anyCustomer(index)
        let time = moment(index)
        guard bridge != own else { return }
        add(
            .subjectAliased, index, at: time,
            ["alias": .string(bridge), "canonical": .string(own)])
        if other != bridge, chance(50) {
            add(
                .subjectAliased, index, at: time + number(0...9) * Self.day,
                ["alias": .string(other), "canonical": .string(bridge)])
        }
        if chance(50) {
            var fields: JSONObject = ["alias": .string(chance(70) ? bridge : own)]
            if chance(30) { fields["canonical"] = .string(chance(50) ? own : other) }
            add(.subjectUnaliased, index, at: time + number(0...30) * Self.day, fields)
        }
    }

    private mutating func changeProfileOddly(_ index: Int) {
        let kinds =
            catalog.meters.compactMap(\.countsProfiles) + catalog.freePeriods.map(\.profileKind)
        let kind: JSONValue = .string(pick(kinds) ?? "other")
        let time = moment(index)
        let known = chance(60) ? pick(customers[index].profiles) : nil
        let name = known ?? "p\(next())"
        if known == nil { customers[index].profiles.append(name) }
        var fields: JSONObject = ["profile": .string(name)]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            fields["kind"] = chance(50) ? kind : nil
            if chance(50) { fields["original_created_at"] = .integer(time - 9 * Self.day) }
            add(.profileRestored, index, at: time, fields)
        case 1:
            fields["kind"] = chance(50) ? kind : nil
            add(.profileDeleted, index, at: time, fields)
        default:
            fields["kind"] = kind
            add(.profileCreated, index, at: time, fields)
        }
        if chance(40), let transaction = pick(customers[index].transactions) {
            add(
                .purchaseAssigned, index, at: time + number(0...30) * Self.day,
                ["transaction_id": .string(transaction), "profile": .string(name)])
        }
    }

    // MARK: Units

    /// A grant on a gauge, of a feature, for an entitlement with an amount, of an id that was given before, or gone
    /// before it began.
    private mutating func grantOddly(_ index: Int) {
        let time = moment(index)
        let known = chance(20) ? pick(customers[index].grants) : nil
        let id = known ?? "grant-\(next())"
        customers[index].grants.append(id)
        var fields: JSONObject = ["grant_id": .string(id), "reason": "beta"]
        fields["starts_at"] = .integer(time + number(-2...9) * Self.day)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            guard let meter = pick(catalog.meters) else { return }
            fields["meter"] = .string(pick([meter.name] + meter.aliases) ?? meter.name)
            fields["amount"] = .integer(number(1...4))
        case 1:
            let metered = catalog.features.filter { $0.meter != nil }
            guard let feature = pick(metered.isEmpty ? catalog.features : metered) else { return }
            fields["feature"] = .string(feature.name)
            if chance(60) { fields["amount"] = .integer(number(1...4)) }
        case 2:
            guard let meter = pick(catalog.meters) else { return }
            fields["meter"] = .string(meter.name)
            let isUnlimited = chance(80)
            fields["unlimited"] = .bool(isUnlimited)
            if !isUnlimited || chance(30) { fields["amount"] = 2 }
        case 3:
            guard let feature = pick(catalog.features) else { return }
            fields["feature"] = .string(feature.name)
            fields["unlimited"] = true
        default:
            guard let entitlement = pick(catalog.entitlements) else { return }
            fields["entitlement"] = .string(entitlement.name)
            if chance(50) { fields["amount"] = 3 }
        }
        if chance(60) { fields["expires_at"] = .integer(time + number(-3...40) * Self.day) }
        if chance(30) { fields["rollover"] = chance(50) ? ["max": 2] : ["min": 2, "max": 9] }
        if chance(30) { fields["priority"] = 0 }
        add(.grantIssued, index, at: time, fields, trust: .admin)
        guard chance(30) else { return }
        let voided = time + number(-5...20) * Self.day
        add(
            .grantVoided, index, at: max(0, voided),
            ["grant_id": .string(id), "voided_at": .integer(voided), "reason": "mistake"],
            trust: .admin)
    }

    /// The same reservation once more, of another meter or amount, or taken back.
    private mutating func reserveOddly(_ index: Int) {
        guard let known = pick(customers[index].reservations), let meter = pick(counters) else {
            return reserve(index)
        }
        let time = moment(index)
        if chance(50) {
            add(
                .usageReserved, index, at: time,
                [
                    "reservation_id": .string(known.id), "meter": .string(meter.name),
                    "amount": .integer(number(1...2)), "expires_at": .integer(time + Self.day),
                ], source: "ledger", trust: .system)
        } else {
            let commits = drafts.filter {
                $0.type == .usageCommitted && $0.data["reservation_id"]?.text == known.id
            }
            let target = pick([known.id, known.key] + commits.compactMap(\.source.key)) ?? known.id
            add(.usageReversed, index, at: time, ["target": .string(target)])
        }
    }

    /// A profile counted as a thing on the gauge that its creation drives.
    private mutating func useProfileGauge(_ index: Int) {
        let gauges = catalog.meters.filter { $0.kind == .gauge }
        guard let meter = pick(gauges) else { return use(index) }
        let ref = pick(customers[index].profiles) ?? "item-\(number(1...6))"
        add(
            .usageRecorded, index, at: moment(index),
            [
                "meter": .string(pick([meter.name] + meter.aliases) ?? meter.name),
                "amount": .integer(chance(60) ? 1 : -1), "ref": .string(ref),
            ])
    }

    // MARK: Lineages

    /// A notice about a lineage that exists somewhere, without the transaction or about another one than expected.
    private mutating func tellOfLineage(_ index: Int) {
        guard var fields = reference(index) else { return buy(index) }
        let time = moment(index)
        if chance(40) { fields["transaction_id"] = nil }
        let type: EventTypeName
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            type = .subscriptionExtended
            fields["new_expires_at"] = .integer(time + number(-5...60) * Self.day)
        case 2:
            type = .subscriptionExpired
            fields["reason"] = "other"
            fields["ended_at"] = .integer(time - number(0...3) * Self.day)
        case 3: type = .subscriptionGraceExpired
        case 4:
            type = .subscriptionBillingFailed
            if chance(60) { fields["grace_expires_at"] = .integer(time + 9 * Self.day) }
        case 5:
            type = .storeRenewalStated
            fields["auto_renew"] = .bool(chance(60))
            fields["auto_renew_product"] = pick(catalog.products).map { .string($0.id) }
            if chance(70) { fields["continuous_since"] = .integer(Self.start - 9 * Self.day) }
        default:
            type = .subscriptionProductChanged
            fields["from"] = .string(pick(catalog.products)?.id ?? "a")
            fields["to"] = .string(pick(catalog.products)?.id ?? "b")
            fields["effective"] = .string(pick(["now", "next_renewal", "reverted"]) ?? "now")
        }
        add(
            type, index, at: time, fields, source: "revenuecat",
            trust: chance(70) ? .imported : .verified,
            signedAt: chance(50) ? max(0, time + number(-20...20) * Self.day) : nil,
            isNamed: chance(50))
    }

    /// A client tells of a transaction, its refund or its end.
    private mutating func clientSpeaks(_ index: Int) {
        guard var fields = reference(index) else { return buy(index) }
        let time = moment(index)
        let type: EventTypeName
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            type = .purchaseRefunded
            fields["revoked_at"] = .integer(time)
        case 1:
            type = .subscriptionExtended
            fields["new_expires_at"] = .integer(time + 90 * Self.day)
        case 2:
            type = .subscriptionExpired
            fields["reason"] = "other"
            fields["ended_at"] = .integer(time)
        default:
            type = .storeTransactionStated
            fields["product"] = .string(pick(catalog.products)?.id ?? "com.example.unheard.of")
            fields["starts_at"] = .integer(time - number(0...9) * Self.day)
            fields["expires_at"] = .integer(time + number(1...40) * Self.day)
            if chance(30) { fields["app_account_token"] = .string(anyCustomer(index)) }
        }
        add(
            type, index, at: time, fields, trust: .clientAsserted,
            signedAt: time + number(0...2) * Self.day, isNamed: chance(80))
    }
}
