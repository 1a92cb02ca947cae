import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// A mistake that only the ledger can see has a line, a member and a column, like one that the reader sees.
@Suite("Places of mistakes")
struct PlacedProblemTests {
    let fixture: LedgerFixture

    init() async throws { fixture = try await LedgerFixture("fork-in-the-road") }

    private func line(
        _ key: String, amount: String = "1", ref: String? = "r1", recordedAt: Int64? = nil,
        meter: String = "groups"
    ) -> String {
        let ref = ref.map { "\"ref\":\"\($0)\"," } ?? ""
        let recorded = recordedAt.map { "\"recorded_at\":\($0)," } ?? ""
        return
            "{\"data\":{\(ref)\"key\":\"source\",\"meter\":\"\(meter)\",\"amount\":\(amount)},\(recorded)"
            + "\"source\":{\"kind\":\"native\",\"key\":\"\(key)\"},\"subject\":\"ada\","
            + "\"occurred_at\":1768478400000,\"type\":\"usage.recorded\"}\n"
    }

    private func problems(
        _ text: String, isAsRecorded: Bool = false
    ) async throws -> [InputProblem] {
        var chunks = [Array(text.utf8)]
        do {
            _ = try await fixture.ledger.importLines(
                { chunks.popLast() }, options: ImportOptions(isAsRecorded: isAsRecorded))
            return []
        } catch LedgerError.badInput(let problems) {
            return problems
        }
    }

    /// Where a text first stands behind another one in a line, 1-based.
    private func column(of name: String, behind: String = "{", in line: String) throws -> Int {
        let start = try #require(line.firstRange(of: behind)).upperBound
        let place = try #require(line[start...].firstRange(of: name)).lowerBound
        return line.utf8.distance(from: line.startIndex, to: place) + 1
    }

    @Test("A key that names two events has the column of the key, and the line of the other one")
    func keyConflict() async throws {
        let second = line("k1", ref: "r2")
        let found = try await problems(line("k0") + line("k1") + second)
        #expect(found.map(\.line) == [3])
        #expect(found.map(\.member) == ["source.key"])
        #expect(
            found.map(\.column) == [try column(of: "\"key\"", behind: "\"source\":{", in: second)])
        #expect(found.first?.reason.contains("another event on line 2") == true)
        #expect(try await problems(line("k0") + line("k1")).isEmpty)
        let later = try await problems("\n" + second)
        #expect(later.map(\.line) == [2])
        #expect(later.first?.reason.contains("another event at position 3") == true)
        #expect(later.first?.column == found.first?.column)
    }

    @Test("Recorded times that go back, or are not there, have a place")
    func recordedTimes() async throws {
        let base = Fixtures.now
        let back = line("k2", recordedAt: base + 5)
        let found = try await problems(
            line("k1", recordedAt: base + 9) + back + line("k3"), isAsRecorded: true)
        #expect(found.map(\.line) == [2, 3])
        #expect(found.map(\.member) == ["recorded_at", "recorded_at"])
        // What is missing from the event itself has no place but the line.
        #expect(found.map(\.column) == [try column(of: "\"recorded_at\"", in: back), 1])
    }

    @Test("What only the catalog can tell has a place")
    func structure() async throws {
        let none = line("k1", ref: nil)
        let zero = line("k2", amount: "0")
        let found = try await problems(none + zero)
        #expect(found.map(\.member) == ["data.ref", "data.amount"])
        #expect(
            found.map(\.column) == [
                try column(of: "\"data\"", in: none), try column(of: "\"amount\"", in: zero),
            ])
    }

    @Test("Lines that are recorded have the same places, and refused ones keep their text")
    func others() async throws {
        var reader = NDJSONReader(app: "fork-in-the-road")
        let text = line("k1") + line("k1", ref: "r2")
        let events = reader.read(Array(text.utf8)).events
        let error = await #expect(throws: LedgerError.self) {
            try await fixture.ledger.record(events)
        }
        guard case .badInput(let found) = error else {
            Issue.record("\(String(describing: error)) is no bad input")
            return
        }
        #expect(found.map(\.line) == [2])
        #expect(found.first?.column ?? 1 > 1)
        // Members out of order, which a line that is written anew would not have.
        let odd = line("k1", ref: "r2").replacing("\n", with: " ")
        var chunks = [Array((line("k1") + odd + "\n").utf8)]
        let report = try await fixture.ledger.importLines(
            { chunks.popLast() }, options: ImportOptions(keepsGoing: true))
        #expect(report.appended == 1)
        #expect(report.refused.map(\.line) == [2])
        #expect(report.refused.first?.column == found.first?.column)
        #expect(String(decoding: report.refused.first?.bytes ?? [], as: UTF8.self) == odd)
    }

    @Test(
        "A member's column is that of its name, and of what should hold it where it is missing",
        arguments: [
            ("data.amount", 11), ("data.a", 49), ("data.missing", 2), ("data", 2),
            ("source.key", 74), ("key", 74), ("event.email", 85), ("email", 85),
            ("data.list[1].x", 23), ("nothing", 1), ("event", 1), ("data.list.deep.er", 23),
            ("data.list[0].x", 32), ("data.list[0].y", 31), ("data.list[0]", 31),
            ("data.list[2].x", 23), ("data.amount[0]", 11), ("data.list[x]", 23),
        ])
    func columns(_ path: String, _ expected: Int) {
        let line =
            #"{"data": {"amount": 1,"list":[{"x":"\"a\":"},2]"#
            + #","a":{"key":0}},"source":{"key":"k"},"email":"x"}"#
        let place = MemberPlace.column(of: path, in: Array(line.utf8))
        #expect(place == expected, "\(path)")
    }

    @Test(
        "What is no JSON has no places",
        arguments: ["", "{", "{\"", "{\"\\", "[1]", "{\"a\"", "{\"a\":", "nonsense"])
    func noPlaces(_ text: String) {
        #expect(MemberPlace.column(of: "data.amount", in: Array(text.utf8)) == 1)
    }

    // MARK: targets

    @Test("An event is found by its source and key, and by its position")
    func targets() async throws {
        try await fixture.record(.used("groups", at: Fixtures.now, ref: "g1"))
        let key = "groups/g1/\(Fixtures.now)"
        let found = try #require(try fixture.ledger.event(source: "native", key: key))
        #expect(found.position == 2)
        #expect(found.draft.subject == "ada")
        #expect(try fixture.ledger.event(at: 2) == found)
        #expect(try fixture.ledger.event(source: "native", key: key, environment: .sandbox) == nil)
        #expect(try fixture.ledger.event(source: "native", key: "other") == nil)
        #expect(try fixture.ledger.event(source: "nobody", key: key) == nil)
        #expect(try fixture.ledger.event(source: "ledger", key: "catalog/1")?.position == 1)
        for position in [Int64.min, -1, 0, 3, Int64.max] {
            #expect(try fixture.ledger.event(at: position) == nil)
        }
    }
}
