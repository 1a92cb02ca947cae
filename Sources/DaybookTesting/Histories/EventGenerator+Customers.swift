import DaybookDomain
import DaybookEvents

/// What customers do and what is done with them.
extension EventGenerator {
    static let zones = [
        "Europe/Amsterdam", "America/Los_Angeles", "Pacific/Auckland", "Asia/Kolkata", "UTC",
        "Nowhere/Atlantis",
    ]

    mutating func arrive(_ index: Int) {
        let time = number(Self.start...Self.start + 20 * Self.day)
        customers[index].times.append(time)
        if chance(10) { return look(index) }
        var fields: JSONObject = ["first_seen_at": .integer(time)]
        if chance(80), let zone = pick(Self.zones) { fields["tz"] = .string(zone) }
        add(.subjectCreated, index, at: time, fields, source: "ledger", trust: .system)
    }

    mutating func travel(_ index: Int) {
        guard let zone = pick(Self.zones) else { return }
        add(.subjectTimeZoneChanged, index, at: moment(index), ["tz": .string(zone)])
    }

    mutating func use(_ index: Int) {
        guard let meter = pick(counters) else { return look(index) }
        var fields: JSONObject = [
            "meter": .string(meter.name), "amount": .integer(chance(80) ? 1 : number(2...5)),
        ]
        var ref: String?
        if chance(60) {
            // One ref in four was used before: it counts once.
            ref = chance(25) ? pick(customers[index].usages.compactMap(\.ref)) : nil
            ref = ref ?? "ref-\(next())"
            fields["ref"] = ref.map(JSONValue.string)
        }
        if chance(20), let entitlement = meter.limitsWith.first?.entitlement {
            fields["covered_by"] = .string(entitlement)
        }
        let time = moment(index)
        let profile = chance(30) ? pick(customers[index].profiles) : nil
        let key = add(
            .usageRecorded, index, at: time, fields, profile: profile,
            source: chance(50) ? "ledger" : "native",
            trust: chance(10) ? .clientAsserted : .imported)
        customers[index].usages.append((key, ref))
        if chance(12), let usage = pick(customers[index].usages) {
            let target = chance(50) ? usage.key : usage.ref ?? usage.key
            var fields: JSONObject = ["target": .string(target), "reason": "mistake"]
            // Of which meter: the right one, perhaps another, or none.
            if chance(50), let meter = pick(counters) { fields["meter"] = .string(meter.name) }
            add(.usageReversed, index, at: time + number(1...40 * Self.day), fields)
        }
    }

    mutating func reserve(_ index: Int) {
        guard let meter = pick(counters) else { return look(index) }
        let time = moment(index)
        let id: JSONValue = .string("r\(next())")
        let timeout = chance(70) ? meter.reservationTimeoutMilliseconds : number(1...30) * Self.day
        let key = add(
            .usageReserved, index, at: time,
            [
                "reservation_id": id, "meter": .string(meter.name),
                "amount": .integer(number(1...3)), "expires_at": .integer(time + timeout),
            ], profile: chance(30) ? pick(customers[index].profiles) : nil, source: "ledger",
            trust: .system)
        customers[index].reservations.append((id.text ?? "", key))
        // In time, in the same millisecond, exactly too late, or later still (E56, E57).
        let outcomes = [time - 1, time, time + timeout / 2, time + timeout - 1, time + timeout]
        if chance(45), let outcome = pick(outcomes) {
            var fields: JSONObject = ["reservation_id": id]
            if chance(30) { fields["amount"] = .integer(number(1...3)) }
            add(.usageCommitted, index, at: outcome, fields, source: "ledger", trust: .system)
        }
        if chance(30), let outcome = pick(outcomes) {
            add(
                .usageReleased, index, at: outcome, ["reservation_id": id, "reason": "failed"],
                source: "ledger", trust: .system)
        }
    }

    /// What was read of a meter that holds the latest reading, sometimes nothing.
    mutating func read(_ meter: Meter, _ index: Int) {
        var fields: JSONObject = [
            "meter": .string(pick([meter.name] + meter.aliases) ?? meter.name),
            "amount": .integer(number(0...30)),
        ]
        let ref = "reading-\(number(1...4))"
        if chance(50) { fields["ref"] = .string(ref) }
        let time = moment(index)
        add(.usageRecorded, index, at: time, fields)
        guard chance(20) else { return }
        add(
            .usageReversed, index, at: time + number(0...9) * Self.day,
            ["target": .string(ref), "meter": .string(meter.name)])
    }

    mutating func changeGauge(_ index: Int) {
        let readings = catalog.meters.filter { $0.kind == .reading }
        if !readings.isEmpty, chance(40), let meter = pick(readings) { return read(meter, index) }
        let gauges = catalog.meters.filter { $0.kind == .gauge && $0.countsProfiles == nil }
        guard let meter = pick(gauges) else { return use(index) }
        add(
            .usageRecorded, index, at: moment(index),
            [
                "meter": .string(meter.name), "amount": .integer(chance(65) ? 1 : -1),
                "ref": .string("item-\(number(1...6))"),
            ])
    }

    mutating func changeProfile(_ index: Int) {
        let kinds =
            catalog.meters.compactMap(\.countsProfiles) + catalog.freePeriods.map(\.profileKind)
            + ["other"]
        if chance(55) || customers[index].profiles.isEmpty {
            let name = "p\(next())"
            let time = moment(index)
            guard let kind = pick(kinds) else { return }
            var fields: JSONObject = ["profile": .string(name), "kind": .string(kind)]
            if chance(20) { fields["free_started_at"] = .integer(time - number(0...9) * Self.day) }
            customers[index].profiles.append(name)
            add(.profileCreated, index, at: time, fields)
        } else if let profile = pick(customers[index].profiles) {
            let type: EventTypeName = chance(60) ? .profileDeleted : .profileRestored
            var fields: JSONObject = ["profile": .string(profile)]
            if type == .profileRestored { fields["original_created_at"] = .integer(Self.start) }
            add(type, index, at: moment(index), fields)
        }
    }

    mutating func assign(_ index: Int) {
        guard let transaction = pick(customers[index].transactions) else { return buy(index) }
        guard let profile = pick(customers[index].profiles) else { return changeProfile(index) }
        var fields: JSONObject = [
            "transaction_id": .string(transaction), "profile": .string(profile),
        ]
        let type: EventTypeName = chance(75) ? .purchaseAssigned : .purchaseUnassigned
        if type == .purchaseUnassigned, chance(50) { fields["profile"] = nil }
        add(type, index, at: moment(index), fields)
    }

    mutating func grant(_ index: Int) {
        if chance(25), let grant = pick(customers[index].grants) {
            let time = moment(index)
            let fields: JSONObject = [
                "grant_id": .string(grant), "voided_at": .integer(time), "reason": "mistake",
            ]
            add(.grantVoided, index, at: time, fields, trust: .admin)
            return
        }
        let time = moment(index)
        let id = "grant-\(next())"
        var fields: JSONObject = ["grant_id": .string(id), "reason": "support"]
        fields["starts_at"] = .integer(time + (chance(70) ? 0 : number(-9...9) * Self.day))
        if chance(70) { fields["expires_at"] = .integer(time + number(10...90) * Self.day) }
        if chance(60), let meter = pick(counters) {
            // Under any of its names.
            let name = chance(25) ? pick(meter.aliases) ?? meter.name : meter.name
            fields[chance(85) ? "meter" : "feature"] = .string(name)
            fields["amount"] = .integer(number(1...8))
            if chance(8) { fields["unlimited"] = true }
            if chance(40) { fields["priority"] = .integer(pick([0, 1, 100, 255]) ?? 7) }
            if chance(20) { fields["rollover"] = ["min": 1, "max": 3] }
            if chance(30), fields["unlimited"] == nil {
                fields["every"] = .string(pick(Vocabulary.recurrences) ?? "P1M")
            }
        } else if chance(50), let entitlement = pick(catalog.entitlements) {
            fields["entitlement"] = .string(entitlement.name)
        } else if let feature = pick(catalog.features) {
            fields["feature"] = .string(feature.name)
        }
        customers[index].grants.append(id)
        let profile = chance(20) ? pick(customers[index].profiles) : nil
        add(.grantIssued, index, at: time, fields, profile: profile, trust: .admin)
    }

    mutating func reset(_ index: Int) {
        guard let meter = pick(counters),
            let trigger = pick(["manual", "manual", "plan_change", "scheduled"])
        else { return look(index) }
        let time = number(Self.start...Self.end - 1)
        var fields: JSONObject = [
            "meter": .string(meter.name), "trigger": .string(trigger),
            "period_start": .integer(time), "effective_at": .integer(time),
        ]
        if chance(15) { fields["effective_at"] = .integer(time + number(-9...9) * Self.day) }
        if chance(50) { fields["retain_anchor"] = .bool(chance(40)) }
        if chance(40) { fields["preserve_overage"] = .bool(chance(75)) }
        add(.usageReset, index, at: time, fields, trust: .admin)
    }

    mutating func alias(_ index: Int) {
        guard let other = pick(neighbours(of: index))?.name, other != customers[index].name
        else { return }
        let fields: JSONObject = [
            "alias": .string(spelled(customers[index].name)), "canonical": .string(spelled(other)),
        ]
        let time = moment(index)
        add(.subjectAliased, index, at: time, fields)
        if chance(30) {
            add(.subjectUnaliased, index, at: time + number(1...30) * Self.day, fields)
        }
    }

    mutating func pretend(_ index: Int) {
        guard customers[index].environment == .sandbox else { return use(index) }
        guard
            let kind = pick(["force_entitlement", "expire_trial", "clear_subscription"]),
            let entitlement = pick(catalog.entitlements)
        else { return }
        let time = moment(index)
        let fields: JSONObject = [
            "kind": .string(kind), "value": .string(entitlement.name), "actor": "developer",
            "expires_at": .integer(time + number(1...20) * Self.day),
        ]
        add(.debugOverrideSet, index, at: time, fields, trust: .debug)
        if chance(40) {
            var cleared: JSONObject = ["actor": "developer"]
            if chance(50) { cleared["kind"] = .string(kind) }
            add(
                .debugOverrideCleared, index, at: time + number(1...9) * Self.day, cleared,
                trust: .debug)
        }
    }

    /// Types that no build knows, and known types of versions to come.
    mutating func invent(_ index: Int) {
        add(
            EventTypeName(
                rawValue: pick([
                    "moon.phase_changed", "usage.teleported", "subscription.sublimated",
                ]) ?? "x.y"), index, at: moment(index),
            ["meter": "stories", "amount": 5, "transaction_id": "t"])
    }

    /// Events of looking around, which change no entitlement.
    mutating func look(_ index: Int) {
        let time = moment(index)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: add(.paywallShown, index, at: time, ["paywall": "main", "context": "settings"])
        case 1: add(.appLaunched, index, at: time, ["session": "s"])
        default:
            add(.checkoutCompleted, index, at: time, ["product": "com.example.anything"])
        }
    }
}
