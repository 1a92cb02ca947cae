import DaybookEvents
import Foundation
import Testing

@Suite("Command line: lists")
struct ListTests {
    private let dozzi: LedgerBench

    init() throws { dozzi = try LedgerBench() }

    @Test("Pages have their members, say how to go on, and go on there")
    func pages() throws {
        for subject in ["ada", "bob", "it's me"] {
            let used = try dozzi.tell(["consume", subject, "stories", "--ref", "r"])
            #expect(used.status == 0, "\(used.errors)")
        }
        let first = try dozzi.tell(["list", "customers", "--limit", "2", "--json"])
        #expect(first.status == 0, "\(first.errors)")
        let page = try first.json
        #expect(page.members.map(\.name) == ["as_of", "customers", "next"])
        #expect(page["next"] == "bob")
        let row = try #require(page["customers"]?.array?.first?.object)
        #expect(
            row.members.map(\.name) == [
                "entitlements", "first_seen_at", "id", "ids", "status", "subject",
            ])
        #expect(row["id"] == "ada")
        let shown = try dozzi.tell(["list", "customers", "--limit", "2"])
        #expect(shown.output.contains("more follow: --after bob\n"))
        let second = try dozzi.tell(["list", "customers", "--after", "bob", "--json"])
        #expect(try second.json["customers"]?.array?.count == 1)
        #expect(try second.json["next"] == .null)
        let found = try dozzi.tell(["list", "customers", "--id", "r", "--limit", "2", "--json"])
        #expect(try found.json["matches"]?.array?.count == 2)
        #expect(try found.json["more"] == true)
        let match = try #require(try found.json["matches"]?.array?.first?.object)
        #expect(match.members.map(\.name) == ["customer", "kind", "position", "stream"])
        #expect(match["kind"] == "reference")
    }

    @Test("Units that come again say how often, when they are given and in the list")
    func recurring() throws {
        for (id, every) in [("daily", ["--every", "P1D"]), ("once", [])] {
            let given = try dozzi.tell(
                ["grant", "issue", "ada", "--meter", "stories", "--amount", "2", "--id", id] + every
            )
            #expect(given.status == 0, "\(given.errors)")
            let units = id == "daily" ? "stories every P1D by grant" : "stories by grant"
            #expect(given.output.hasPrefix("✓ ada has 2 × \(units) \(id)\n"), "\(given.output)")
        }
        let rows = try dozzi.tell(["list", "grants"]).output.split(separator: "\n").prefix(2)
        #expect(rows.map { $0.contains("  every P1D  ") } == rows.map { $0.contains("  daily  ") })
        #expect(rows.contains { $0.contains("  daily  ") })
    }

    @Test("A list without rows says so, and bad pages and ids are refused")
    func refusals() throws {
        for (list, empty) in [
            ("grants", "no grants that hold or begin later"),
            ("reservations", "no open reservations"), ("refunds", "no refunds"),
            ("expiring", "nothing ends within P7D"), ("customers", "no customers"),
        ] {
            let shown = try dozzi.tell(["list", list])
            #expect(shown.status == 0, "\(list): \(shown.errors)")
            #expect(shown.output.hasPrefix(empty + "\n"), "\(list): \(shown.output)")
            let json = try dozzi.tell(["list", list, "--json"]).json
            #expect(json[list] == .array([]), "\(list)")
            #expect(json["next"] == .null, "\(list)")
        }
        for (arguments, status) in [
            (["list", "grants", "--after", "x"], 3), (["list", "grants", "--limit", "0"], 2),
            (["list", "expiring", "--within", "soon"], 3),
            (["list", "expiring", "--limit", "1001"], 2),
            (["list", "customers", "--id", ""], 2),
            (["list", "customers", "--id", "a", "--prefix", "b"], 2),
        ] {
            #expect(try dozzi.tell(arguments).status == Int32(status), "\(arguments)")
        }
    }
}
