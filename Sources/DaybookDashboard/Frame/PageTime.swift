import DaybookDomain

/// Times as people read them: in UTC, and in the viewer's own zone where the page's script runs.
package enum PageTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `5 Feb 2026, 21:04 UTC`; seconds and milliseconds where there are any.
    package static func text(_ instant: Int64) -> String {
        guard isTime(instant) else { return instant < 0 ? "the beginning" : "the end of time" }
        let written = RFC3339.format(instant)
        let date = written.prefix(10).split(separator: "-")
        guard date.count == 3, let month = Int(date[1]), let day = Int(date[2]) else {
            return written
        }
        var clock = written.dropFirst(11).prefix { $0 != "Z" }
        if clock.hasSuffix(".000") { clock = clock.dropLast(4) }
        if clock.utf8.count == 8, clock.hasSuffix(":00") { clock = clock.dropLast(3) }
        return "\(day) \(months[month - 1]) \(date[0]), \(clock) UTC"
    }

    /// `5 Feb`.
    static func day(_ instant: Int64) -> String {
        let date = RFC3339.format(instant).prefix(10).split(separator: "-")
        guard date.count == 3, let month = Int(date[1]), let day = Int(date[2]) else { return "" }
        return "\(day) \(months[month - 1])"
    }

    /// `Feb 2026`.
    static func month(_ instant: Int64) -> String {
        let parts = day(instant).split(separator: " ")
        return parts.count == 2 ? "\(parts[1]) \(RFC3339.format(instant).prefix(4))" : ""
    }

    /// `21:04`, in UTC.
    static func clock(_ instant: Int64) -> String {
        String(RFC3339.format(instant).dropFirst(11).prefix(5))
    }

    /// What `<time>` is made of; `nil` for an open end.
    static func model(_ instant: Int64?) -> Model? {
        guard let instant, isTime(instant) else { return nil }
        return ["iso": RFC3339.format(instant), "text": text(instant)]
    }

    /// What RFC 3339 can write.
    private static func isTime(_ instant: Int64) -> Bool {
        (-62_135_596_800_000...253_402_300_799_999).contains(instant)
    }
}
