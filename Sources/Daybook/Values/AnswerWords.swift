package import DaybookDomain

extension MeterAnswer {
    /// `1 of 2 used, 1 remaining, resets 2026-04-01T00:00:00Z`.
    package var sentence: String {
        if kind == .window {
            guard let visibleFrom else { return "all of history" }
            return "visible from \(Words.time(visibleFrom)), \(limit ?? 0) days"
        }
        var parts = [limit.map { "\(used) of \($0) used" } ?? "\(used) used, unlimited"]
        if reserved > 0 { parts.append("\(reserved) reserved") }
        if let remaining { parts.append("\(remaining) remaining") }
        if granted > 0 { parts.append("\(granted) of them granted") }
        if overage > 0 { parts.append("\(overage) over") }
        if excess > 0 { parts.append("\(excess) above the limit") }
        if debt > 0 { parts.append("\(debt) owed") }
        let reset = Words.time(resetsAt)
        if !reset.isEmpty { parts.append("resets \(reset)") }
        return parts.joined(separator: ", ")
    }
}

extension AsOf {
    /// `as of 2026-03-01T00:00:00Z, position 12, catalog 1`.
    package var sentence: String {
        var parts = ["as of \(Words.time(at))"]
        if let knownAt { parts.append("known at \(Words.time(knownAt))") }
        parts.append("position \(position)")
        if let catalog { parts.append("catalog \(catalog)") }
        if isOpen { parts.append("open") }
        if clockLead > 0 {
            parts.append("the last event was recorded \(clockLead / 1_000) s ahead of the clock")
        }
        return parts.joined(separator: ", ")
    }
}

extension Source {
    /// `apple:2000000123 (com.dozzi.unlock) lifetime`.
    package var sentence: String {
        var parts = [name]
        if let product = product { parts.append("(\(product))") }
        parts.append(Words.spaced(state.rawValue))
        if let why = why?.rawValue, why != state.rawValue { parts.append("[\(why)]") }
        if let end = expiresAt {
            parts.append("\(isActive ? "until" : "ended") \(Words.time(end))")
        }
        return parts.joined(separator: " ")
    }
}
