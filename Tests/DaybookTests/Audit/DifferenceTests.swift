import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Testing

@Suite("What is different between two moments")
struct DifferenceTests {
    @Test(
        "Nothing differs from itself, and every customer that is told to differ does",
        arguments: try StreamGolden.pairs())
    func customers(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let times = drafts.compactMap(\.occurredAt).sorted()
        let first = Moment(at: times[0])
        let last = Moment(at: (times.last ?? 0) + 2_678_400_000)
        var told: [CustomerDifference] = []
        #expect(try ledger.differences(from: last, to: last) { told.append($0) } == 0)
        #expect(told == [])
        _ = try ledger.differences(from: first, to: last) { told.append($0) }
        #expect(!told.isEmpty)
        for difference in told {
            let alone = try ledger.difference(
                of: difference.subject, environment: difference.environment, from: first, to: last
            ).difference
            #expect(alone == difference)
        }
    }

    @Test(
        "At one time only customers of the events between are compared, and none is missed",
        arguments: try StreamGolden.pairs())
    func between(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let head = try ledger.head()
        for first in 1...head.position {
            for second in [first + 1, first + 3, head.position, first - 2]
            where (1...head.position).contains(second) {
                let moments = [first, second].map {
                    Moment(at: head.recordedAt, knownAt: .position($0))
                }
                var found: [String] = []
                _ = try ledger.differences(from: moments[0], to: moments[1]) {
                    found.append("\($0.environment.name)/\($0.subject)")
                }
                var expected: [String] = []
                for environment in Environment.allCases {
                    for name in try ledger.subjects(in: environment) {
                        let (status, _) = try ledger.status(
                            of: name, environment: environment, moment: moments[1])
                        let isDifferent = try !ledger.difference(
                            of: name, environment: environment, from: moments[0], to: moments[1]
                        ).difference.changes.isEmpty
                        if status.subject == name, isDifferent {
                            expected.append("\(environment.name)/\(name)")
                        }
                    }
                }
                #expect(found == expected, "\(pair): \(first) to \(second)")
            }
        }
    }

    @Test("What became known late is a difference of knowledge at one time")
    func knowledge() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "late-notification")
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        let at = try #require(RFC3339.parse("2026-03-12T00:00:00Z"))
        let (found, _, _) = try ledger.difference(
            of: "u_1377", from: Moment(at: at, knownAt: .position(5)), to: Moment(at: at))
        #expect(
            found.changes.contains(
                JSONDifference(
                    path: "entitlements.unlimited.active", before: .bool(false), after: .bool(true))
            ))
        let places = found.changes.map(\.path)
        #expect(!places.contains("subject"))
        #expect(!places.contains("meters.stories.used"))
    }

    @Test("Each customer is looked at once, also one whose canonical ID has no events")
    func customersOnce() async throws {
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog("dozzi"), seed: 7, subjects: 40)
        let ledger = try await StreamGolden.ledger("dozzi", holding: month.deliveries)
        var shown: Set<String> = []
        for subject in try ledger.subjects() {
            shown.insert(try ledger.status(of: subject).status.subject)
        }
        let from = Moment(at: SyntheticMonth.start - 90 * 86_400_000)
        let to = Moment(at: SyntheticMonth.end)
        let expected = try shown.filter {
            try !ledger.difference(of: $0, from: from, to: to).difference.changes.isEmpty
        }
        #expect(!expected.subtracting(try ledger.subjects()).isEmpty)
        var told: [String] = []
        let count = try ledger.differences(from: from, to: to) {
            if $0.environment == .production { told.append($0.subject) }
        }
        #expect(Set(told) == expected && told.count == expected.count)
        #expect(count >= shown.count)
    }
}
