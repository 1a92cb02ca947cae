import Daybook
import DaybookAudit
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

/// Rule 4 and law 4 over what was recorded: (at, known at) is answered as a naive model answers it, which folds
/// everything from the beginning for each question.
@Suite("As-of answers equal a naive model's")
struct AsOfModelTests {
    /// A stream in a ledger, and the moments at which something of it begins or ends.
    private struct Stream {
        /// The end of 2026: what time does by itself.
        private static let yearEnd: Int64 = 1_798_675_200_000

        let comparison: ModelComparison
        let environments: [Environment]
        /// Ascending; the catalog was recorded at 0, before all of them.
        let recordedTimes: [Int64]

        var cuts: ClosedRange<Int64> { 1...Int64(comparison.events.count) }
        var moments: [Int64] { comparison.moments + [Self.yearEnd] }

        init(_ pair: StreamGolden.Pair, catalog: [UInt8]? = nil) async throws {
            let drafts = try StreamGolden.drafts(of: pair)
            comparison = try ModelComparison(
                try await StreamGolden.ledger(pair.app, holding: drafts, catalog: catalog))
            let used = Set(drafts.map(\.environment))
            environments = Environment.allCases.filter { used.contains($0) }
            recordedTimes = try drafts.map { try #require($0.recordedAt) }
        }

        /// The moments of the events, and those that follow from them: ends of access, of free periods, of periods.
        func allMoments(_ environment: Environment, cut: Int64) throws -> Set<Int64> {
            let answers = try comparison.answers(in: environment, at: moments, cut: cut)
            return Set(moments).union(ModelComparison.boundaries(of: answers))
        }

        /// Every time at which something was recorded and the millisecond before, with what was known then.
        var knowledge: [(instant: Int64, cut: Int64)] {
            let instants = Set(recordedTimes + recordedTimes.map { $0 - 1 }).sorted()
            return instants.map { instant in
                (instant, 1 + Int64(recordedTimes.count { $0 <= instant }))
            }
        }

        /// Whether the comparison sees that the ledger is asked about something else than the model.
        func sees(_ other: @escaping (Int64, _ cut: Int64) -> Moment) throws -> Bool {
            for environment in environments {
                for cut in cuts.dropFirst() {
                    let found = try comparison.differences(
                        in: environment, at: moments, cut: cut, asking: { other($0, cut) })
                    if !found.isEmpty { return true }
                }
            }
            return false
        }
    }

    @Test(
        "X-03 Rule 4: every event boundary of every recorded stream, known at every position",
        arguments: try StreamGolden.pairs())
    func positions(_ pair: StreamGolden.Pair) async throws { try await Self.compare(pair) }

    /// Compares at every boundary and every cut.
    /// - Parameter catalog: Another document instead of the app's own.
    static func compare(_ pair: StreamGolden.Pair, catalog: [UInt8]? = nil) async throws {
        let stream = try await Stream(pair, catalog: catalog)
        for environment in stream.environments {
            for cut in stream.cuts {
                let differences = try stream.comparison.differences(
                    in: environment, at: try stream.allMoments(environment, cut: cut).sorted(),
                    cut: cut)
                for difference in differences { Issue.record("\(pair): \(difference)") }
            }
        }
    }

    @Test(
        "X-03 Rule 5: the same for knowledge as of a time: each recorded time, and the millisecond before",
        arguments: try StreamGolden.pairs())
    func instants(_ pair: StreamGolden.Pair) async throws {
        let stream = try await Stream(pair)
        for environment in stream.environments {
            for (instant, cut) in stream.knowledge {
                let differences = try stream.comparison.differences(
                    in: environment, at: stream.moments, cut: cut,
                    asking: { Moment(at: $0, knownAt: .instant(instant)) })
                for difference in differences { Issue.record("\(pair): \(difference)") }
            }
        }
    }

    @Test(
        "The comparison sees an answer of another cut or another millisecond, in every stream",
        arguments: try StreamGolden.pairs())
    func canFail(_ pair: StreamGolden.Pair) async throws {
        let stream = try await Stream(pair)
        #expect(try stream.sees { Moment(at: $0, knownAt: .position($1 - 1)) }, "cut")
        #expect(try stream.sees { Moment(at: $0 - 1, knownAt: .position($1)) }, "time")
    }
}
