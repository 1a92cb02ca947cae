import Daybook
import DaybookDomain
import Foundation
import Testing

@Suite("Zone tables from the host")
struct ZoneTablesTests {
    static let names = [
        "UTC", "Etc/GMT+12", "Europe/Amsterdam", "Europe/London", "Europe/Dublin", "Europe/Lisbon",
        "Europe/Moscow", "Europe/Istanbul", "America/New_York", "America/Los_Angeles",
        "America/Sao_Paulo", "America/Caracas", "America/Havana", "America/St_Johns",
        "America/Asuncion", "America/Argentina/San_Luis", "America/Recife", "Pacific/Auckland",
        "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Kwajalein",
        "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Pyongyang", "Asia/Gaza",
        "Asia/Tokyo", "Africa/Casablanca", "Africa/Cairo", "Africa/Monrovia",
        "Australia/Lord_Howe", "Australia/Sydney", "Antarctica/Troll",
    ]

    @Test("A table agrees with the host every day from 1970 to 2100 (E72)", arguments: names)
    func agreesWithSampling(name: String) throws {
        let table = try #require(ZoneTables().table(named: name))
        let zone = try #require(TimeZone(identifier: name))
        var disagreements: [Int] = []
        // A day and an hour, so that the samples wander through the hours of the day.
        for second in stride(from: 0, to: 4_102_444_800, by: 90_000) {
            let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
            if table.offsetMilliseconds(at: Int64(second) * 1_000) != Int64(offset) * 1_000 {
                disagreements.append(second)
            }
        }
        #expect(disagreements.isEmpty)
        #expect(table.name == name)
    }

    @Test("A transition is exact to the second (E71)", arguments: names)
    func exactTransitions(name: String) throws {
        let table = try #require(ZoneTables().table(named: name))
        let zone = try #require(TimeZone(identifier: name))
        for transition in table.transitions {
            let at = Date(timeIntervalSince1970: Double(transition.instant / 1_000))
            #expect(zone.secondsFromGMT(for: at) == transition.offsetSeconds)
            #expect(zone.secondsFromGMT(for: at - 1) != transition.offsetSeconds)
        }
    }

    @Test(
        "Known changes of the clock are in the table (E72)",
        arguments: [
            ("Europe/Amsterdam", "2026-03-29T01:00:00Z", 7_200),
            ("Europe/Amsterdam", "2026-10-25T01:00:00Z", 3_600),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", 50_400),
            ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 37_800),
            ("America/Sao_Paulo", "2018-11-04T03:00:00Z", -7_200),
        ])
    func knownTransitions(name: String, at: String, offsetSeconds: Int) throws {
        let table = try #require(ZoneTables().table(named: name))
        let transition = ZoneTable.Transition(
            instant: try #require(RFC3339.parse(at)), offsetSeconds: offsetSeconds)
        #expect(table.transitions.contains(transition))
    }

    @Test(
        "Wall time and elapsed days agree with the host's calendar (OL-01)",
        arguments: ["UTC", "Europe/Amsterdam", "America/New_York", "Asia/Kathmandu"], [1, 2, 3])
    func agreesWithCalendar(name: String, seed: Int) throws {
        let table = try #require(ZoneTables().table(named: name))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        for step in 1...100 {
            // At noon UTC, where none of these zones has a gap or an overlap.
            let day = (seed * 7_919 + step * 104_729) % 45_000
            let start = Int64(day) * 86_400_000 + 43_200_000
            let end = start + Int64(step * step) * 3_599_999
            let from = Date(timeIntervalSince1970: Double(start) / 1_000)
            let to = Date(timeIntervalSince1970: Double(end) / 1_000)
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: from)
            let civil = table.civil(at: start)
            let date = civil.date
            let minutes = civil.millisecondOfDay / 60_000
            #expect(
                [date.year, date.month, date.day, minutes / 60, minutes % 60]
                    == [parts.year, parts.month, parts.day, parts.hour, parts.minute])
            let days = calendar.dateComponents([.day], from: from, to: to).day
            #expect(table.wholeDays(from: start, to: end) == days, "\(start) to \(end)")
        }
    }

    @Test(
        "What is no name of the database has no table",
        arguments: [
            "", "Foo/Bar", "Europe/Atlantis", "europe/amsterdam", "PST", "CEST", "GMT+5",
            "GMT+0530",
            "Europe/Amsterdam ", "Europe/Amsterdam\0", "../../etc/passwd", "Europe/Zürich", "Z",
            "/",
            String(repeating: "A/", count: 1_000),
        ])
    func unknownNames(name: String) {
        #expect(ZoneTables().table(named: name) == nil)
    }

    @Test("Names without an area are names", arguments: ["UTC", "GMT", "EST5EDT", "CET", "Japan"])
    func shortNames(name: String) {
        #expect(ZoneTables().table(named: name)?.name == name)
    }

    @Test("The second look-up and every thread get the same table")
    func cache() async {
        let tables = ZoneTables()
        let first = tables.table(named: "Africa/Casablanca")
        await withTaskGroup(of: ZoneTable?.self) { group in
            for _ in 0..<16 {
                group.addTask { tables.table(named: "Africa/Casablanca") }
            }
            for await table in group { #expect(table == first) }
        }
        #expect(first != nil)
    }
}
