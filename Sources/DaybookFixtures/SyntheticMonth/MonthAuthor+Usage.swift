import DaybookDomain
import DaybookEvents

/// What people do with the app, and where they are refused.
extension MonthAuthor {
    mutating func use(_ person: inout Resident, at time: Int64) {
        let meters = catalog.meters.filter { $0.kind != .window && $0.countsProfiles == nil }
        guard let meter = generator.pick(meters) else { return look(&person, at: time) }
        if let feature = meter.requires, !mayUse(person, feature, nil, at: time) {
            deny(&person, feature, "not_entitled", meter.recordsDenials, meter, at: time)
            return shop(&person, at: time + 2_000, context: context(of: meter))
        }
        if meter.kind == .gauge {
            changeItems(&person, meter, at: time)
        } else {
            count(&person, meter, at: time)
        }
    }

    /// Looks at a feature, and uses it where it is open.
    mutating func look(_ person: inout Resident, at time: Int64) {
        guard let feature = generator.pick(catalog.features) else { return }
        let profiles = person.profiles.filter { $0.createdAt <= time }
        let profile = feature.scope == .profile ? generator.pick(profiles)?.name : nil
        let fields: JSONObject = ["feature": .string(feature.name)]
        if mayUse(person, feature.name, profile, at: time) {
            tell(.featureUsed, person, at: time, fields, profile: profile)
            return
        }
        tell(.featureViewed, person, at: time, fields, profile: profile)
        // A feature of a profile cannot be asked for without one.
        guard feature.scope == .subject || profile != nil else { return }
        let reason = feature.scope == .profile ? "intro_expired" : "not_entitled"
        deny(&person, feature.name, reason, feature.recordsDenials, nil, at: time + 50)
        let isKnown = catalog.paywalls.contains { $0.context == "featureRestricted" }
        shop(&person, at: time + 1_000, context: isKnown ? "featureRestricted" : "default")
    }

    /// Whether the person believes that a feature is open to them.
    private func mayUse(
        _ person: Resident, _ name: String, _ profile: String?, at time: Int64
    ) -> Bool {
        guard let feature = catalog.features.first(where: { $0.name == name }) else { return false }
        if feature.isFree { return true }
        let opening = catalog.entitlements.filter {
            $0.features.contains(name) || $0.features.contains("*")
        }.map(\.name)
        let isBought = person.access.contains {
            $0.isOpen(at: time) && ($0.profile == nil || $0.profile == profile)
                && $0.entitlements.contains(where: opening.contains)
        }
        if isBought { return true }
        guard let created = person.profiles.first(where: { $0.name == profile })?.createdAt else {
            return false
        }
        return catalog.freePeriods.contains {
            $0.features.contains(name) && time < person.zone.adding($0.duration, to: created)
        }
    }

    /// Evidence, once per name and period, under the keys that the ledger itself gives.
    private mutating func deny(
        _ person: inout Resident, _ name: String, _ reason: String, _ isRecorded: Bool,
        _ meter: Meter?, at time: Int64
    ) {
        let customer = generator.customers[person.id(at: time)].name
        let period = meter.map { periodName($0, person, at: time) } ?? "always"
        let key = "denied/\(customer)/\(name)/\(reason)/\(period)"
        guard isRecorded, person.evidence.insert(key).inserted else { return }
        tell(
            .accessDenied, person, at: time,
            ["feature": .string(name), "reason_code": .string(reason), "enforcement": "hard"],
            source: "ledger", key: key, trust: .system)
    }

    private func context(of meter: Meter) -> String {
        meter.paywallContext.map { String($0.prefix { $0 != "(" }) } ?? "usageLimitReached"
    }

    private func periodName(_ meter: Meter, _ person: Resident, at time: Int64) -> String {
        guard meter.period == .calendarMonth else { return "always" }
        let date = person.zone.civil(at: time).date
        return "\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)"
    }

    // MARK: Counters

    private mutating func count(_ person: inout Resident, _ meter: Meter, at time: Int64) {
        let covering = meter.limitsWith.first { limit in
            limit.limit == nil
                && person.access.contains {
                    $0.isOpen(at: time) && $0.entitlements.contains(limit.entitlement)
                }
        }?.entitlement
        let period = periodName(meter, person, at: time)
        let used = person.used["\(meter.name)/\(period)"] ?? 0
        if covering == nil, let limit = meter.limit, used >= limit {
            deny(&person, meter.name, "limit_reached", meter.recordsDenials, meter, at: time)
            return shop(&person, at: time + 2_000, context: context(of: meter))
        }
        if covering == nil { person.used["\(meter.name)/\(period)"] = used + 1 }
        record(person, meter, covering, at: time)
        guard covering == nil, let limit = meter.limit, used + 1 == limit else { return }
        let customer = generator.customers[person.id(at: time)].name
        tell(
            .limitReached, person, at: time,
            ["meter": .string(meter.name), "limit": .integer(limit), "used": .integer(limit)],
            source: "ledger", key: "limit/\(customer)/\(meter.name)/\(period)", trust: .system)
    }

    /// At once, set aside first, or told by a phone that had no network; now and then taken back or corrected.
    private mutating func record(
        _ person: Resident, _ meter: Meter, _ covering: String?, at time: Int64
    ) {
        let ref = "\(meter.name)-\(generator.next())"
        var fields: JSONObject = ["meter": .string(meter.name), "amount": 1, "ref": .string(ref)]
        if let covering { fields["covered_by"] = .string(covering) }
        switch number(0...99) {
        case 0..<12: return reserve(person, meter, covering, at: time)
        case 12..<34:
            let isMistaken = chance(2)
            if isMistaken { fields["amount"] = 3 }
            let key = tell(.usageRecorded, person, at: time, fields)
            if isMistaken, let key {
                let patch: JSONObject = ["patch": ["amount": 1]]
                correct(.correctionAmended, person, key, "native", patch, after: time)
            }
        default:
            let key = tell(
                .usageRecorded, person, at: time, fields, source: "ledger", trust: .system)
            // The phone reports the same use again under a key of its own: one ref counts once.
            if chance(2) { tell(.usageRecorded, person, at: time + 500, fields) }
            if let key, chance(1) {
                correct(.correctionVoided, person, key, "ledger", JSONObject(), after: time)
            }
        }
        if chance(3) {
            tell(
                .usageReversed, person, at: time + number(1...90) * Self.minute,
                ["target": .string(ref), "reason": "came out empty"], source: "ledger",
                trust: .admin)
        }
    }

    private mutating func reserve(
        _ person: Resident, _ meter: Meter, _ covering: String?, at time: Int64
    ) {
        let id: JSONValue = .string("r\(generator.next())")
        var fields: JSONObject = [
            "reservation_id": id, "meter": .string(meter.name), "amount": 1,
            "expires_at": .integer(time + meter.reservationTimeoutMilliseconds),
        ]
        if let covering { fields["covered_by"] = .string(covering) }
        tell(.usageReserved, person, at: time, fields, source: "ledger", trust: .system)
        let done = time + number(15...90) * 1_000
        switch number(0...99) {
        case 0..<80:
            tell(
                .usageCommitted, person, at: done, ["reservation_id": id], source: "ledger",
                trust: .system)
        case 80..<95:
            tell(
                .usageReleased, person, at: done,
                ["reservation_id": id, "reason": "generation failed"], source: "ledger",
                trust: .system)
        default: break  // The app died; the reservation ends by itself.
        }
    }

    private mutating func correct(
        _ type: EventTypeName, _ person: Resident, _ key: String, _ source: String,
        _ more: JSONObject,
        after time: Int64
    ) {
        var fields = more
        fields["target"] = ["source": .string(source), "key": .string(key)]
        fields["reason"] = "counted wrongly"
        fields["ticket"] = .string("T-\(generator.next())")
        tell(
            type, person, at: time + number(1...4 * 24) * Self.hour, fields, source: "ledger",
            trust: .admin)
    }

    // MARK: Gauges

    private mutating func changeItems(_ person: inout Resident, _ meter: Meter, at time: Int64) {
        var items = person.items[meter.name] ?? []
        let isUnlimited = meter.limitsWith.contains { limit in
            person.access.contains {
                $0.isOpen(at: time) && $0.entitlements.contains(limit.entitlement)
            }
        }
        let gone = chance(25) ? generator.pick(items) : nil
        if gone == nil, !isUnlimited, let limit = meter.limit, items.count >= limit {
            return shop(&person, at: time + 2_000, context: context(of: meter))
        }
        let ref = gone ?? "\(meter.name)-\(generator.next())"
        if gone == nil { items.append(ref) } else { items.removeAll { $0 == ref } }
        person.items[meter.name] = items
        let fields: JSONObject = [
            "meter": .string(meter.name), "amount": gone == nil ? 1 : -1, "ref": .string(ref),
        ]
        // The same limit on the phone and on the web.
        let isWeb = chance(30)
        tell(
            .usageRecorded, person, at: time, fields, source: isWeb ? "ledger" : "native",
            trust: isWeb ? .system : .imported)
    }

    // MARK: Support and development

    /// Support makes good: days of everything, or some units.
    mutating func receiveGrant(_ person: Resident) {
        let time = number(max(Self.start, person.seenAt + Self.hour)...Self.end - 1)
        let id: JSONValue = .string("grant-\(generator.next())")
        var fields: JSONObject = [
            "grant_id": id, "reason": "support", "starts_at": .integer(time),
            "expires_at": .integer(time + number(7...40) * Self.day),
        ]
        let counters = catalog.meters.filter { $0.kind == .counter && $0.requires == nil }
        if chance(60), let meter = generator.pick(counters) {
            fields["meter"] = .string(meter.name)
            fields["amount"] = .integer(number(1...5))
        } else if let entitlement = generator.pick(catalog.entitlements) {
            fields["entitlement"] = .string(entitlement.name)
        }
        tell(.grantIssued, person, at: time, fields, source: "ledger", trust: .admin)
        guard chance(15) else { return }
        let voidedAt = time + number(1...72) * Self.hour
        tell(
            .grantVoided, person, at: voidedAt,
            ["grant_id": id, "voided_at": .integer(voidedAt), "reason": "wrong customer"],
            source: "ledger", trust: .admin)
    }

    mutating func pretend(_ person: Resident) {
        guard let entitlement = generator.pick(catalog.entitlements) else { return }
        let time = max(Self.start, person.seenAt) + number(1...20) * Self.hour
        let kind: JSONValue = chance(70) ? "force_entitlement" : "clear_subscription"
        tell(
            .debugOverrideSet, person, at: time,
            [
                "kind": kind, "value": .string(entitlement.name), "actor": "developer",
                "expires_at": .integer(time + number(1...30) * Self.day),
            ], trust: .debug)
        guard chance(50) else { return }
        tell(
            .debugOverrideCleared, person, at: time + number(1...48) * Self.hour,
            ["actor": "developer", "kind": kind], trust: .debug)
    }
}
