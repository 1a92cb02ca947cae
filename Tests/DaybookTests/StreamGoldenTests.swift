import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Foundation
import Testing

@Suite("Recorded streams and their golden states")
struct StreamGoldenTests {
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    @Test("There are streams of every app, and none is without its golden or the other way round")
    func complete() throws {
        let pairs = try StreamGolden.pairs()
        for app in Fixtures.apps {
            #expect(pairs.contains { $0.app == app && !$0.diverges }, "\(app) has no stream")
        }
        for pair in pairs where !Self.isRecording || pair.diverges {
            for file in [pair.stream, pair.golden] {
                #expect(
                    FileManager.default.fileExists(atPath: file.path), "\(file.path) is missing")
            }
        }
    }

    @Test("Every stream gives its golden state", arguments: try StreamGolden.pairs())
    func replay(_ pair: StreamGolden.Pair) async throws {
        guard !pair.diverges else { return }
        let state = try await StreamGolden.state(of: pair)
        if Self.isRecording { try StreamGolden.record(state, for: pair) }
        let golden = try StreamGolden.recorded(pair)
        let differences = StreamGolden.differences(golden, state)
        #expect(differences == [], "\(pair) differs; RECORD_GOLDEN=1 writes it anew")
        #expect(
            Array(try Foundation.Data(contentsOf: pair.golden)) == StreamGolden.layout(state),
            "\(pair) is not in canonical form")
    }

    @Test(
        "Every line of a stream is canonical, so that an export gives the same bytes",
        arguments: try StreamGolden.pairs())
    func canonicalLines(_ pair: StreamGolden.Pair) throws {
        let lines = try StreamGolden.drafts(of: pair).map { StreamGolden.line(of: $0) + [0x0A] }
        #expect(Array(try Foundation.Data(contentsOf: pair.stream)) == lines.flatMap(\.self))
        #expect((4...25).contains(lines.count), "\(pair) has \(lines.count) lines")
    }

    @Test(
        "Any order, repetition and batches give the same state", arguments: try StreamGolden.pairs()
    )
    func anyOrder(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let expected = try await StreamGolden.ledger(pair.app, holding: drafts)
        let answers = try FinalAnswers(expected)
        let seed = UInt64.random(in: 0...UInt64.max)
        print("\(pair): seed \(seed)")
        var generator = Shuffler(state: seed)
        for round in 1...20 {
            var shuffled = (drafts + drafts.shuffled(using: &generator).prefix(3))
                .shuffled(using: &generator)
            for index in shuffled.indices { shuffled[index].recordedAt = Int64(index) }
            let ledger = try await StreamGolden.ledger(
                pair.app, holding: shuffled, batchCount: Int.random(in: 1...7, using: &generator))
            #expect(
                try ledger.digest().digest == expected.digest().digest,
                "\(pair), seed \(seed), round \(round)")
            #expect(
                try FinalAnswers(ledger) == answers, "\(pair), seed \(seed), round \(round)")
        }
    }

    @Test("A golden of an older rule is seen to differ, and where")
    func diverging() async throws {
        let pairs = try StreamGolden.pairs().filter(\.diverges)
        #expect(!pairs.isEmpty)
        for pair in pairs {
            let golden = try StreamGolden.recorded(pair)
            let differences = StreamGolden.differences(
                golden, try await StreamGolden.state(of: pair))
            #expect(!differences.isEmpty, "\(pair) must differ")
            // What happened is the same; only what it means has changed.
            #expect(differences.allSatisfy { $0.hasPrefix("subjects.") }, "\(differences)")
        }
    }

    @Test("Three free stories became two: the numbers differ from the first moment on")
    func threeFreeStories() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "diverges-three-free-stories")
        // Under the older rule the stream brings the very same golden.
        let text = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
        let older = Array(text.replacing("    limit: 2\n", with: "    limit: 3\n").utf8)
        let before = try await StreamGolden.state(of: pair, catalog: older)
        if Self.isRecording { try StreamGolden.record(before, for: pair) }
        let golden = try StreamGolden.recorded(pair)
        #expect(StreamGolden.differences(golden, before) == [])
        let differences = StreamGolden.differences(golden, try await StreamGolden.state(of: pair))
        let meter = "subjects.u_1042.answers[0].status.meters.stories"
        #expect(differences.prefix(2) == ["\(meter).limit", "\(meter).remaining"])
        #expect(!differences.contains { $0.hasSuffix(".used") })
    }
}

/// What the customers may do at the end, whatever was known when.
private struct FinalAnswers: Equatable {
    private var statuses: [Status] = []

    init(_ ledger: Ledger) throws {
        let moment = Moment(at: 1_798_675_200_000)
        for environment in Environment.allCases {
            for subject in try ledger.subjects(in: environment) {
                let (status, _) = try ledger.status(
                    of: subject, environment: environment, moment: moment)
                statuses.append(status)
            }
        }
    }
}

/// A reproducible source of orders (SplitMix64).
private struct Shuffler: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
