import DaybookDomain
import DaybookEvents

/// What people take back and put right.
extension EventGenerator {
    /// Voids or amends something earlier, a correction included.
    mutating func correct() {
        // What was given or set aside is corrected more often than its share of the events.
        let given = drafts.filter { $0.type == .grantIssued || $0.type == .usageReserved }
        guard let target = chance(25) ? pick(given) : pick(drafts), let key = target.source.key,
            let index = customers.indices.randomElement(using: &random)
        else { return }
        var fields: JSONObject = ["reason": "mistake", "ticket": "T-1"]
        fields["target"] = ["source": .string(target.source.kind), "key": .string(key)]
        let time = min(Self.end - 1, (target.occurredAt ?? Self.start) + number(0...20) * Self.day)
        guard customers[index].environment == target.environment else { return }
        let patch = chance(40) ? patch(of: target) : nil
        if let patch { fields["patch"] = .object(patch) }
        let isAmendment = patch != nil
        add(
            isAmendment ? .correctionAmended : .correctionVoided, index, at: time, fields,
            trust: .admin)
    }

    /// Fields that a correction may replace, with values that it may give them, so that it is accepted whether it comes
    /// before its target or after.
    private mutating func patch(of target: EventDraft) -> JSONObject? {
        guard target.trust != .verified, let time = target.occurredAt else { return nil }
        switch target.type {
        case .usageRecorded:
            let meter = catalog.meter(named: target.data["meter"]?.text ?? "")
            if meter?.kind == .reading { return ["amount": .integer(number(0...30))] }
            guard meter?.kind == .counter else { return ["amount": chance(50) ? 1 : -1] }
            return pick([
                ["amount": .integer(number(1...4))], ["amount": 1, "covered_by": nil],
                ["ref": "ref-again"],
            ])
        case .usageReserved:
            return ["expires_at": .integer(time + number(1...40) * Self.day)]
        case .grantIssued:
            return pick([
                ["expires_at": .integer(time + number(1...40) * Self.day)],
                ["starts_at": .integer(time + number(0...9) * Self.day)], ["expires_at": nil],
                ["priority": 0, "amount": 5],
            ])
        case .purchaseCompleted: return ["quantity": .integer(number(1...4))]
        case .subjectCreated, .subjectTimeZoneChanged:
            return pick(Self.zones).map { ["tz": .string($0)] }
        case .subscriptionStarted:
            return ["expires_at": .integer(time + number(1...60) * Self.day)]
        case .usageReset: return ["effective_at": .integer(time + number(0...9) * Self.day)]
        default: return nil
        }
    }
}
