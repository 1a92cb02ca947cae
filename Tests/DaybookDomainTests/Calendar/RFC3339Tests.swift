import DaybookDomain
import Testing

@Suite("RFC 3339")
struct RFC3339Tests {
    @Test(
        "A time with an offset is one instant",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("2013-08-01T07:00:00Z", 1_375_340_400_000),
            ("2026-03-01T00:00:00Z", 1_772_323_200_000),
            ("2026-03-01t00:00:00z", 1_772_323_200_000),
            ("2026-03-01T01:00:00+01:00", 1_772_323_200_000),
            ("2026-02-28T18:30:00-05:30", 1_772_323_200_000),
            ("2026-03-01T00:00:00-00:00", 1_772_323_200_000),
            ("2026-03-01T23:59:00+23:59", 1_772_323_200_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func parses(text: String, expected: Int64) {
        #expect(RFC3339.parse(text) == expected)
    }

    @Test(
        "A fraction has at most three digits: what is finer would name another moment",
        arguments: [
            (".5", 500), (".05", 50), (".005", 5), (".120", 120), (".000", 0), (".999", 999),
            (".0009", nil), (".9999", nil), (".1200", nil), (".123456789", nil),
            (".00000000000000000000000000000001", nil),
        ] as [(String, Int64?)])
    func fractions(fraction: String, expected: Int64?) {
        #expect(RFC3339.parse("1970-01-01T00:00:00\(fraction)Z") == expected)
    }

    @Test(
        "A text that names no instant is refused",
        arguments: [
            "", "2026", "2026-03-01", "2026-03-01T00:00:00", "2026-03-01T00:00:00.5",
            "2026-03-01T00:00Z", "2026-03-01 00:00:00Z", "2026-3-01T00:00:00Z",
            "26-03-01T00:00:00Z", "02026-03-01T00:00:00Z", "-2026-03-01T00:00:00Z",
            "+2026-03-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-03-00T00:00:00Z", "2026-03-32T00:00:00Z", "2026-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T00:60:00Z",
            "2026-03-01T00:00:60Z", "2016-12-31T23:59:60Z", "2026-03-01T00:00:00.Z",
            "2026-03-01T00:00:00,5Z", "2026-03-01T00:00:00+01", "2026-03-01T00:00:00+0100",
            "2026-03-01T00:00:00+24:00", "2026-03-01T00:00:00+01:60", "2026-03-01T00:00:00+1:00",
            "2026-03-01T00:00:00ZZ", "2026-03-01T00:00:00Z ", " 2026-03-01T00:00:00Z",
            "2026-03-01T00:00:00\u{2212}01:00", "２０２６-03-01T00:00:00Z", "2026-03-01T00:00:00Z\0",
        ])
    func refuses(text: String) {
        #expect(RFC3339.parse(text) == nil)
    }

    @Test(
        "An instant is written in UTC, with a fraction only when it has one",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1, "1970-01-01T00:00:00.001Z"), (50, "1970-01-01T00:00:00.050Z"),
            (1_772_323_200_000, "2026-03-01T00:00:00Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
            (Int64.min, "-9999-01-01T00:00:00Z"), (Int64.max, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func formats(instant: Int64, expected: String) {
        #expect(RFC3339.format(instant) == expected)
    }

    @Test(
        "An instant is written as its zone's wall clock shows it",
        arguments: [
            (CalendarFixtures.amsterdam, "2026-03-29T01:59:59+01:00"),
            (CalendarFixtures.amsterdam, "2026-03-29T03:00:00+02:00"),
            (CalendarFixtures.newYork, "2026-01-31T23:59:59.999-05:00"),
            (CalendarFixtures.kathmandu, "2026-01-01T00:00:00+05:45"),
            (CalendarFixtures.kiritimati, "2026-01-01T00:00:00+14:00"),
            (ZoneTable.utc, "2026-01-01T00:00:00+00:00"),
        ])
    func formatsInZone(zone: ZoneTable, text: String) throws {
        #expect(RFC3339.format(try instant(text), in: zone) == text)
    }

    @Test("An offset with seconds is cut to minutes and the text names the same instant")
    func offsetWithSeconds() {
        let monrovia = ZoneTable(name: "Africa/Monrovia", initialOffsetSeconds: -2_670)
        let text = RFC3339.format(0, in: monrovia)
        #expect(text == "1969-12-31T23:16:00-00:44")
        #expect(RFC3339.parse(text) == 0)
    }

    @Test("What is written is read back", arguments: CalendarFixtures.seeds)
    func roundTrip(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        let zone = random.zone()
        for _ in 0..<500 {
            let at = Int64.random(in: -62_100_000_000_000...253_400_000_000_000, using: &random)
            #expect(RFC3339.parse(RFC3339.format(at)) == at, "seed \(seed)")
            #expect(RFC3339.parse(RFC3339.format(at, in: zone)) == at, "seed \(seed)")
        }
    }

    @Test("The longest text fits")
    func longestText() {
        let zone = ZoneTable(name: "Far", initialOffsetSeconds: -86_399)
        let text = RFC3339.format(-377_000_000_000_001, in: zone)
        #expect(text.utf8.count == 30)
    }
}
