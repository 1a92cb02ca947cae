import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

@Suite("Recorded streams and their golden states")
struct StreamGoldenTests {
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"
    /// Random orders per stream.
    private static let permutations =
        ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == nil ? 200 : 1_000

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
        let drafts = try StreamGolden.drafts(of: pair)
        let lines = drafts.map { StreamGolden.line(of: $0) + [0x0A] }
        #expect(Array(try Foundation.Data(contentsOf: pair.stream)) == lines.flatMap(\.self))
        // A written stream is short enough to be read; a captured one, which brings its catalogs, is what happened.
        let bounds = StreamGolden.bringsCatalogs(drafts) ? 2...1_000 : 4...25
        #expect(bounds.contains(lines.count), "\(pair) has \(lines.count) lines")
    }

    @Test(
        "Any order, repetition and batches give the same state", arguments: try StreamGolden.pairs()
    )
    func anyOrder(_ pair: StreamGolden.Pair) async throws {
        let stream = try StreamGolden.drafts(of: pair)
        // Which catalog came first decides which one rules from the beginning (rule 8); events have no such order.
        let catalogs = stream.filter(StreamGolden.isCatalog)
        let drafts = stream.filter { !StreamGolden.isCatalog($0) }
        let template =
            catalogs.isEmpty
            ? try await LedgerTemplate(pair.app)
            : try await LedgerTemplate(pair.app, catalogs: catalogs)
        let expected = try template.ledger()
        try await expected.record(drafts)
        let digest = try expected.digest().digest
        let answers = try FinalAnswers(expected)
        let seed = LawTests.seed
        print("\(pair): seed \(seed)")
        var random = SplitMix64(seed: seed)
        for round in 1...Self.permutations {
            let repeated = drafts + drafts.shuffled(using: &random).prefix(3)
            let ledger = try template.ledger()
            try await LawTests.record(
                repeated.shuffled(using: &random), in: ledger, batchCountMax: 7, &random)
            let place: Comment = "\(pair), seed \(seed), round \(round)"
            #expect(try ledger.digest().digest == digest, place)
            #expect(try FinalAnswers(ledger) == answers, place)
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
            let others = differences.filter { !$0.hasPrefix("subjects.") }
            #expect(others == [])
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
