import DaybookEvents

/// Units that were used, and for whom, in the order of their use.
struct Portions {
    private var parts: [(profile: NameID, amount: Int64)] = []
    private(set) var total: Int64 = 0

    mutating func append(_ amount: Int64, _ profile: NameID) {
        // A sum is cut at the limit of the type (rule 30).
        let amount = min(amount, Int64.max - total)
        guard amount > 0 else { return }
        total += amount
        if parts.last?.profile == profile {
            parts[parts.count - 1].amount += amount
        } else {
            parts.append((profile, amount))
        }
    }

    mutating func append(_ others: Portions) {
        for part in others.parts { append(part.amount, part.profile) }
    }

    /// Takes away the earliest units, as far as they were for one profile; `nil`: there are none.
    mutating func takePart() -> (profile: NameID, amount: Int64)? {
        guard let first = parts.first else { return nil }
        parts.removeFirst()
        total -= first.amount
        return first
    }

    /// Puts earlier units before these.
    mutating func prepend(_ others: Portions) {
        var all = others
        all.append(self)
        self = all
    }

    /// Takes away the earliest units of some profiles.
    /// - Parameter amount: At most so many; negative is none.
    mutating func takeFirst(
        _ amount: Int64, where belongs: (NameID) -> Bool = { _ in true }
    ) -> Portions {
        var taken = Portions()
        if amount <= 0 || total == 0 { return taken }
        var kept = Portions()
        for part in parts {
            let share = belongs(part.profile) ? min(part.amount, amount - taken.total) : 0
            taken.append(share, part.profile)
            kept.append(part.amount - share, part.profile)
        }
        self = kept
        return taken
    }

    /// Takes away the latest units.
    /// - Parameter amount: At most so many.
    mutating func takeLast(_ amount: Int64) -> Portions {
        let earlier = takeFirst(total - min(amount, total))
        let latest = self
        self = earlier
        return latest
    }
}
