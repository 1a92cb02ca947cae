import DaybookDomain
import Testing

@Suite("Periods of the calendar by name")
struct CalendarPeriodTests {
    private static let day: Int64 = 86_400_000

    @Test(
        "A name is a period from midnight to midnight, with its length",
        arguments: [
            ("2026", MetricBuckets.Resolution.year, "2026-01-01", "2027-01-01"),
            ("2026-Q1", .quarter, "2026-01-01", "2026-04-01"),
            ("2026-Q4", .quarter, "2026-10-01", "2027-01-01"),
            ("2026-03", .month, "2026-03-01", "2026-04-01"),
            ("2026-12", .month, "2026-12-01", "2027-01-01"),
            ("2026-W01", .week, "2025-12-29", "2026-01-05"),
            ("2026-W10", .week, "2026-03-02", "2026-03-09"),
            // A year of 53 weeks.
            ("2026-W53", .week, "2026-12-28", "2027-01-04"),
            ("2024-02-29", .day, "2024-02-29", "2024-03-01"),
            ("1970", .year, "1970-01-01", "1971-01-01"),
        ])
    func names(
        name: String, resolution: MetricBuckets.Resolution, first: String, next: String
    ) throws {
        let period = try #require(CalendarPeriod(name))
        let range = period.range(in: .utc)
        #expect(period.name == name && period.resolution == resolution)
        #expect(RFC3339.format(range.lowerBound) == first + "T00:00:00Z")
        #expect(RFC3339.format(range.upperBound) == next + "T00:00:00Z")
    }

    @Test(
        "Every bucket's own name is its period",
        arguments: [MetricBuckets.Resolution.day, .week, .month, .quarter, .year])
    func buckets(resolution: MetricBuckets.Resolution) throws {
        let start: Int64 = 1_700_000_000_000
        let buckets = try #require(
            MetricBuckets(start..<start + 900 * Self.day, by: resolution, in: .utc))
        for index in 0..<buckets.count {
            let period = try #require(CalendarPeriod(buckets.name(index)))
            #expect(period.range(in: .utc) == buckets[index], "\(buckets.name(index))")
            #expect(period.resolution == resolution)
        }
    }

    @Test(
        "What is no period is none",
        arguments: [
            "", "26", "2026-", "2026-13", "2026-00", "2026-3", "2026-Q5", "2026-Q0", "2026-Q",
            "2026-W00", "2025-W53", "2026-W54", "2026-w10", "2026-02-30", "2026-03-05-01",
            "2026-03-5", "+026", "２０２６", "1969", "9999", "2026-Q1-01", "2026 03",
        ])
    func refused(name: String) { #expect(CalendarPeriod(name) == nil) }
}
