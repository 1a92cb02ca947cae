import Daybook
package import DaybookDomain

/// What would be different, in words.
extension OutcomeDifference.Numbers {
    /// `3 of 2`.
    fileprivate var words: String {
        "\(used) of \(limit.map(String.init) ?? "unlimited")"
    }
}

extension OutcomeDifference {
    /// `loses premiumVoices (not entitled)`, `stories 2 of 3 → 2 of 2`.
    package var sentences: [String] {
        let changes = features.map { feature in
            let name = feature.profile.map { "\(feature.name) for \($0)" } ?? feature.name
            return
                "\(feature.isGained ? "gains" : "loses") \(name) (\(Words.spaced(feature.reason.rawValue)))"
        }
        return changes
            + meters.map { meter in
                "\(meter.name) \(meter.before?.words ?? "–") → \(meter.after?.words ?? "–")"
            }
    }
}

extension WhatIfReport.Customer {
    /// The same with what was paid, where that is different.
    package var sentences: [String] {
        let currencies = Set(paidBefore.amounts.keys).union(paidAfter.amounts.keys)
        return difference.sentences
            + currencies.sorted().compactMap { currency in
                let before = paidBefore.amounts[currency] ?? 0
                let after = paidAfter.amounts[currency] ?? 0
                return before == after
                    ? nil
                    : "paid \(Words.money(milli: before, currency)) → \(Words.money(milli: after, currency))"
            }
    }
}

extension WhatIfReport.MeterShift {
    /// `120 → 80`: the units beyond the limit.
    package var overageWords: String {
        "\(Words.grouped(overageBefore)) → \(Words.grouped(overageAfter))"
    }
}

extension WhatIfReport.RevenueShift {
    /// `$120.00 → $90.00`, or one of the two where they are equal.
    package var words: String {
        let before = Words.money(milli: before, currency)
        let after = Words.money(milli: after, currency)
        return before == after ? before : "\(before) → \(after)"
    }
}
