import DaybookDomain
import DaybookEvents

/// An event of a timeline in words.
extension HistoryEntry {
    /// What the label says already, or what only machines compare.
    private static let silent: Set<String> = [
        "price_milli", "currency", "document", "document_sha256", "covered_by", "store",
        "environment", "meter", "target",
    ]

    /// What a person wants to know first of what a store says.
    private static let telling: Set<String> = [
        "product", "auto_renew_product", "transaction_id", "expires_at", "new_expires_at",
        "grace_expires_at", "revoked_at", "ended_at", "offer", "reason", "enabled", "from", "to",
        "units", "days",
    ]

    /// What happened, in words beside the label.
    /// - Parameter isFull: Whether everything that a store says is told.
    package func details(isFull: Bool = false) -> String {
        let draft = event.draft
        let isShort = !isFull && event.stream.kind == .lineage
        var parts: [String] = []
        if let profile = draft.profile { parts.append(profile) }
        if let meter = draft.data["meter"]?.text {
            let amount = draft.data["amount"]?.integer
            parts.append(amount.map { "\($0) × \(meter)" } ?? meter)
        }
        if let target = draft.data["target"]?.object, let source = target["source"]?.text {
            parts.append("\(source)/\(target["key"]?.text ?? "")")
        } else if let target = draft.data["target"]?.text {
            parts.append(target)
        }
        for member in draft.data.members where Self.isTold(member, draft) {
            if isShort, !Self.telling.contains(member.name) { continue }
            guard let value = Self.word(member) else { continue }
            parts.append("\(Words.spaced(member.name)) \(value)")
        }
        if let price = draft.data["price_milli"]?.integer {
            parts.append(Words.money(milli: price, draft.data["currency"]?.text ?? ""))
        }
        return parts.joined(separator: ", ")
    }

    /// What stands elsewhere in the line is not told twice.
    private static func isTold(_ member: JSONObject.Member, _ draft: EventDraft) -> Bool {
        if Self.silent.contains(member.name) { return false }
        switch member.name {
        case "amount": return draft.data["meter"] == nil
        case "original_transaction_id": return member.value != draft.data["transaction_id"]
        default: return member.value.integer == nil || member.value.integer != draft.occurredAt
        }
    }

    private static func word(_ member: JSONObject.Member) -> String? {
        switch member.value {
        case .string(let text): return text
        case .bool(let flag): return flag ? "yes" : "no"
        case .number(let text): return text
        case .integer(let number):
            let isTime = member.name.hasSuffix("_at") || member.name.hasSuffix("_start")
            return isTime ? Words.time(number) : String(number)
        case .object(let object):
            let inner = object.members.compactMap { member in
                word(member).map { "\(member.name) \($0)" }
            }
            return inner.joined(separator: " ")
        case .array, .null: return nil
        }
    }

    /// What is odd about it: void, amended, late, unverified.
    package var notes: String {
        var notes: [String] = []
        if isVoid { notes.append("void") }
        if !amendments.isEmpty {
            let positions = amendments.map { "@\($0)" }.joined(separator: ", ")
            notes.append("amended by \(positions)")
        }
        if isLate { notes.append("late") }
        if event.draft.trust == .clientAsserted { notes.append("unverified") }
        return notes.joined(separator: ", ")
    }
}
