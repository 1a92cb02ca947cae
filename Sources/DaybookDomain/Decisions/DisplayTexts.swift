import DaybookEvents

/// Fills the catalog's copy with the numbers of an answer.
struct DisplayTexts {
    let context: CustomerCase
    let catalog: Catalog
    let locale: String

    /// The text of a key; `nil` without a key or a text.
    func display(_ key: String?, usage: MeterAnswer?, source: Source?) -> DisplayText? {
        guard let key else { return nil }
        let (arguments, count) = arguments(usage: usage, source: source)
        guard let text = catalog.text(key, locale: locale, arguments: arguments) else { return nil }
        let safe = count.flatMap {
            catalog.pluralSafeText(key, locale: locale, count: $0, arguments: arguments)
        }
        return DisplayText(
            key: key, text: text, pluralSafeText: safe ?? text, arguments: arguments)
    }

    private func arguments(
        usage: MeterAnswer?, source: Source?
    ) -> (arguments: [String: String], count: Int64?) {
        var arguments: [String: String] = [:]
        var count: Int64?
        if let usage {
            arguments["used"] = String(usage.used)
            if let limit = usage.limit { arguments["limit"] = String(limit) }
            if let remaining = usage.remaining {
                arguments["remaining"] = String(remaining)
                count = remaining
            }
            if let end = usage.resetsAt { arguments["resets"] = date(end) }
        }
        if let end = source?.expiresAt {
            arguments["expires"] = date(end)
            let days = Self.daysRemaining(until: end, from: source?.startsAt, context, catalog)
            arguments["days"] = String(days)
            if source?.kind == .freePeriod { count = days }
        }
        return (arguments, count)
    }

    /// Whole calendar days left, counted the way the wall clock does (T4): the days promised less the days gone.
    static func daysRemaining(
        until end: Int64, from start: Int64?, _ context: CustomerCase, _ catalog: Catalog
    ) -> Int64 {
        guard context.at < end else { return 0 }
        let from = start ?? context.at
        let zone = context.zoneHistory(catalog).zone(at: from)
        let promised = zone.wholeDays(from: from, to: end)
        let gone = zone.wholeDays(from: from, to: max(from, context.at))
        return Int64(max(0, promised - gone))
    }

    private func date(_ instant: Int64) -> String {
        let zone = context.zoneHistory(catalog).zone(at: instant)
        return String(RFC3339.format(instant, in: zone).prefix(10))
    }
}
