import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

/// Which tests run: those of every run, or also those that need a network.
enum Tier {
    static let isExtended = ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == "extended"

    /// For Python, whose packages come from where the machine says.
    static let environment = ProcessInfo.processInfo.environment
}

/// Two data sets that others made, from the packages that carry them: what Daybook counts of them beside what plain
/// loops over the same files count.
///
/// They come from PyPI, so this suite is of the extended tier, and is skipped where they cannot be had.
@Suite("Data sets of others", .serialized, .enabled(if: Tier.isExtended, "of the extended tier"))
struct DataSetTests {
    private static let maps = "\(Workbench.repository)/datasets"

    /// The text of a file of a Python package, its code left where it is.
    private func file(_ path: String, of package: String) throws -> String {
        let bench = try Workbench()
        let got = try bench.shell(
            """
            set -e
            python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest . '\(package)'
            python3 - '\(path)' <<'END'
            import glob, gzip, sys, zipfile
            data = zipfile.ZipFile(glob.glob("*.whl")[0]).read(sys.argv[1])
            sys.stdout.buffer.write(gzip.decompress(data) if sys.argv[1].endswith(".gz") else data)
            END
            """, environment: Tier.environment)
        guard got.status == 0 else {
            try Test.cancel("\(package) cannot be had from PyPI: \(got.errors.suffix(400))")
        }
        return got.output
    }

    private func table(_ csv: String) -> [[String]] {
        csv.split(separator: "\n").map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private func loaded(_ text: String, _ name: String) throws -> (Workbench, String) {
        let bench = try Workbench()
        let ledger = try bench.begin("\(Self.maps)/\(name)/catalog.yaml")
        try bench.write(text, to: "data")
        let report = try bench.run([
            "import", bench.path("data"), "--map", "\(Self.maps)/\(name)/map.yaml", "--ledger",
            ledger, "--json",
        ])
        try #require(report.status == 0, "\(report.errors.suffix(1_000))")
        return (bench, ledger)
    }

    // MARK: CDNOW

    @Test("CDNOW: revenue, buyers, new customers by month, and who bought again by age")
    func records() throws {
        let text = try file("lifetimes/datasets/CDNOW_master.txt", of: "Lifetimes==0.11.3")
        let (bench, ledger) = try loaded(text, "cdnow")
        // Cents by month, buyers by month, first and paid months of each customer.
        var (cents, buyers): ([String: Int], [String: Set<String>]) = ([:], [:])
        var (first, paid): ([String: String], [String: [String]]) = ([:], [:])
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let parts = line.split(separator: " ").map(String.init)
            let (customer, date) = (parts[0], parts[1])
            let month = "\(date.prefix(4))-\(date.dropFirst(4).prefix(2))"
            let amount = try #require(Int(parts[3].filter { $0 != "." }))
            first[customer] = min(first[customer] ?? month, month)
            guard amount > 0 else { continue }
            cents[month, default: 0] += amount
            buyers[month, default: []].insert(customer)
            paid[customer, default: []].append(date)
        }
        #expect(cents.values.reduce(0, +) == 250_031_563)
        let asked = try bench.run([
            "metrics", "net_revenue", "paying_customers", "new_customers", "--from",
            "1997-01-01T00:00:00Z", "--until", "1998-07-01T00:00:00Z", "--by", "month", "--csv",
            "--ledger", ledger,
        ])
        for row in table(asked.output).dropFirst() {
            let month = String(row[2].prefix(7))
            let expected =
                switch row[0] {
                case "net_revenue": (cents[month] ?? 0) * 10
                case "paying_customers": buyers[month]?.count ?? 0
                default: first.values.count { $0 == month }
                }
            #expect(Int(row[4]) == expected, "\(row)")
        }
        #expect(table(asked.output).count == 1 + 3 * 18)

        func number(_ date: String) -> Int {
            (Int(date.prefix(4)) ?? 0) * 12 + (Int(date.dropFirst(4).prefix(2)) ?? 0)
        }
        var again: [String: Int] = [:]
        for dates in paid.values {
            let dates = dates.sorted()
            let start = number(dates[0])
            for age in Set(dates.dropFirst().map { number($0) - start }) {
                again[
                    "\(dates[0].prefix(4))-\(dates[0].dropFirst(4).prefix(2))/\(age)", default: 0] +=
                    1
            }
        }
        let cohorts = try bench.run([
            "cohorts", "repurchase", "--from", "1997-01-01T00:00:00Z", "--until",
            "1997-04-01T00:00:00Z", "--by", "month", "--ages", "17", "--csv", "--ledger", ledger,
        ])
        let rows = table(cohorts.output).dropFirst()
        #expect(rows.count == 3 * 18)
        for row in rows {
            #expect(Int(row[4]) == again["\(row[2].prefix(7))/\(row[8])"] ?? 0, "\(row)")
        }
    }

    // MARK: Clicks

    private struct Click {
        var session: String
        var name: String
        /// Seconds since 1970, of a clock without zones.
        var at: Int
        var day: Int { at / 86_400 }
    }

    private static let steps = [
        "product_view", "add_to_cart", "cart", "shipping_details", "payment_details", "purchase",
    ]

    /// How many of some paths took each step, one after the other.
    private func counts(_ paths: some Sequence<[Click]>, within window: Int) -> [Int] {
        var counts = Self.steps.map { _ in 0 }
        for path in paths {
            var (step, start) = (0, 0)
            for click in path where step < Self.steps.count {
                if step > 0, click.at - start > window { break }
                guard click.name == Self.steps[step] else { continue }
                if step == 0 { start = click.at }
                counts[step] += 1
                step += 1
            }
        }
        return counts
    }

    @Test("Clicks: the funnel by visitor and by session, retention by day, visitors by week")
    func clicks() throws {
        let text = try file("retentioneering/datasets/ecom.csv.gz", of: "retentioneering==5.2.4")
        let (bench, ledger) = try loaded(text, "ecom")
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "yyyy-MM-dd HH:mm:ss"
        var visitors: [String: [Click]] = [:]
        for row in table(text).dropFirst() {
            let date = try #require(format.date(from: row[3]))
            visitors[row[0], default: []].append(
                Click(session: row[1], name: row[2], at: Int(date.timeIntervalSince1970)))
        }
        let sessions = Dictionary(grouping: visitors.values.joined(), by: \.session)
        func asked(_ words: String) throws -> [Int64] {
            let report = try bench.run("funnel purchase \(words) --json --ledger \(ledger)").json
            return (report["steps"]?.array ?? []).compactMap { $0.object?["count"]?.integer }
        }
        for (words, days) in [("", 182), ("--window P7D", 7), ("--window P1D", 1)] {
            let expected = counts(visitors.values, within: days * 86_400)
            #expect(try asked(words) == expected.map(Int64.init), "\(words)")
        }
        // The data's sessions are what half an hour without a click parts.
        let expected = counts(sessions.values, within: 182 * 86_400)
        #expect(try asked("--per session") == expected.map(Int64.init))
        #expect(expected.first == 2_868)

        var returned: [String: (of: Int, back: Int)] = [:]
        for clicks in visitors.values {
            let days = Set(clicks.map(\.day))
            let first = try #require(days.min())
            let month = format.string(from: Date(timeIntervalSince1970: Double(first) * 86_400))
                .prefix(7)
            for age in [1, 7, 30] {
                returned["\(month)/\(age)", default: (0, 0)].of += 1
                if days.contains(first + age) { returned["\(month)/\(age)"]?.back += 1 }
            }
        }
        let retention = try bench.run([
            "metrics", "d1_retention", "d7_retention", "d30_retention", "--from",
            "2024-01-01T00:00:00Z", "--until", "2024-07-01T00:00:00Z", "--by", "month", "--csv",
            "--ledger", ledger,
        ])
        let rows = table(retention.output).dropFirst()
        #expect(rows.count == 18, "\(retention.errors)")
        for row in rows {
            let age = row[0].dropFirst().prefix { $0.isNumber }
            let (of, back) = returned["\(row[2].prefix(7))/\(age)"] ?? (0, 0)
            #expect(Int(row[4]) == back && Int(row[5]) == of, "\(row)")
        }
    }
}
