import Daybook
import DaybookEvents
import Foundation
import Testing

/// Everything at once, for long: processes and tasks that read, write, tick, snapshot, import and export one ledger.
///
/// `make soak` runs it for five minutes (`DAYBOOK_SOAK_SECONDS` says otherwise), `make test` for a few seconds, so that
/// it is known to work when it is needed.
@Suite("Soak", .serialized)
struct SoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isSoak = environment["DAYBOOK_TIER"] == "soak"
    private static let seconds: Double =
        environment["DAYBOOK_SOAK_SECONDS"].flatMap(Double.init) ?? (isSoak ? 300 : 6)

    @Test("Under load from all sides every acknowledged write is there once, and exactly k of k")
    func everythingAtOnce() async throws {
        let bench = try Workbench()
        try bench.write(SoakCrew.catalog, to: "soak.yaml")
        let path = try bench.begin(bench.path("soak.yaml"))
        let ledger = try Ledger.open(path)
        let crew = SoakCrew(
            bench: bench, path: path, ledger: ledger, seconds: Self.seconds)
        try await crew.work()
        print(crew.progress(try ledger.head().position))
        #expect(crew.surprises == [])
        try ledger.close()
        try Self.judge(crew, bench, path)
    }

    /// Compares what is in the file with what was promised.
    private static func judge(_ crew: SoakCrew, _ bench: Workbench, _ path: String) throws {
        var positions: Int64 = 0
        var gaps = 0
        var seen: Set<UInt64> = []
        var twice = 0
        var used: [String: Int] = [:]
        try crew.eachExportedLine { event in
            positions += 1
            if event["position"]?.integer != positions { gaps += 1 }
            let source = event["source"]?.object
            let name = "\(source?["kind"]?.text ?? "")/\(source?["key"]?.text ?? "")"
            if !seen.insert(SoakCrew.hash(name)).inserted { twice += 1 }
            guard event["type"] == "usage.recorded", let subject = event["subject"]?.text,
                event.at("data.meter") == "tickets"
            else { return }
            used[subject, default: 0] += 1
        }
        #expect(gaps == 0)
        #expect(twice == 0, "keys that stand for two events")
        let lost = crew.acknowledged.count { !seen.contains($0) }
        #expect(lost == 0, "of \(crew.acknowledged.count) acknowledged writes")
        #expect(crew.acknowledged.count > 50)
        // Exactly k: every caller who was refused was refused because k others had succeeded.
        let tally = crew.tickets
        // A few seconds on a busy machine may not be enough to use a meter up.
        if Self.seconds >= 30 { #expect(tally.exhausted > 0) }
        for (subject, successes) in tally.successes.sorted(by: { $0.key < $1.key }) {
            #expect(used[subject] == successes, "\(subject)")
            #expect(successes <= SoakCrew.limit, "\(subject)")
        }
        for number in 0..<tally.exhausted {
            #expect(used["shared-\(number)"] == SoakCrew.limit)
        }
        let verified = try bench.run("verify --ledger \(path)")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        let replayed = try bench.run("replay --ledger \(path)")
        #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
        // So much for each event that is kept in memory, and for what the system has not taken back yet.
        if isSoak, let growth = crew.growth {
            let allowed = 200_000_000 + 2_000 * Int(positions - growth.sincePosition)
            #expect(growth.bytes < allowed, "\(positions - growth.sincePosition) events later")
        }
    }
}
