import Daybook
import DaybookAudit
import DaybookFixtures
import DaybookStore
import Foundation

/// What is measured of Daybook, one process for each sample, so that none warms another's memory.
///
/// ```
/// create FILE                                     an empty ledger, whose tables raw copies
/// append-store FILE EVENTS SUBJECTS BATCH         rows through SQLiteEventStore.append
/// append-ledger FILE EVENTS SUBJECTS BATCH        typed reports through Ledger.record
/// append-batches FILE EVENTS SUBJECTS BATCH       the same through Ledger.record(batches:)
/// consume FILE EVENTS SUBJECTS CLIENTS            durable uses, each client one after the other
/// latency FILE EVENTS SUBJECTS BATCH COUNT SNAPSHOTS
///                                                 COUNT batches on top of EVENTS; SNAPSHOTS is 1:
///                                                 while snapshots are written, one after the other
/// export FILE LINES                               the events as canonical lines
/// import FILE LINES EVENTS                        those lines, into a new ledger
/// records FILE RECORDS                            the events packed as segments have them, then the extensions
/// month FILE APP SUBJECTS                         the synthetic month of an app, with a snapshot
/// scan FILE                                       SQLiteEventStore.scan
/// replay FILE rows|segments WORKERS 0|1           Ledger.replay; 1: digested and compared
/// backup FILE TARGET                              Ledger.backUp into a new file
/// copy FILE TARGET                                the same with cp
/// prove FILE                                      Ledger.proveBackup
/// verify-all FILE                                 Ledger.verify
/// snapshot FILE                                   Ledger.snapshot
/// open FILE SUBJECTS                              open a ledger, answer once, close
/// check FILE SUBJECTS QUESTIONS                   answers, the first about each customer by a fold
/// check-again FILE SUBJECTS QUESTIONS             the same, of customers who were asked about before
/// check-latency FILE EVENTS SUBJECTS QUESTIONS BATCH
///                                                 how long single answers of customers at hand take; BATCH above
///                                                 0: while batches of so many are recorded, one after the other
/// refold FILE SUBJECTS QUESTIONS                  answers that read a customer's events and fold them
/// history FILE SUBJECTS QUESTIONS                 customers' events as people read them
/// status FILE SUBJECTS QUESTIONS                  everything about a customer
/// explain FILE SUBJECTS QUESTIONS                 why a customer is answered so
/// metrics FILE NAMES|all                          Ledger.metrics by month, over the whole time
/// metrics-again FILE NAMES|all EVENTS SUBJECTS NEW
///                                                 the same, with nothing new, and after NEW events
/// metrics-month FILE                              revenue and customers by day, and a funnel
/// find FILE EVENTS SUBJECTS QUESTIONS             customers by the ref of a use, and pages by a prefix
/// fold - EVENTS SUBJECTS PASSES                   all projections over events in memory
/// fold-month - PEOPLE PASSES                      the same, over the synthetic months of all apps
/// verify-bare - NOTIFICATIONS                     swift-crypto alone: the three signatures of each
/// verify-warm - NOTIFICATIONS                     AppStoreVerifier.verify, one verifier for all
/// verify-cold - NOTIFICATIONS                     AppStoreVerifier.verify, a new verifier for each
/// ```
struct Samples {
    let path: String
    let words: [String]
    let numbers: [Int]

    /// - Parameter arguments: Words first, numbers last.
    init(path: String, arguments: [String]) {
        self.path = path
        words = arguments.filter { Int($0) == nil }
        numbers = arguments.compactMap { Int($0) }
    }

    /// - Returns: `nil` for a sample that is not of one thread.
    func runAlone(_ name: String) throws -> Measurement? {
        switch (name, numbers.count) {
        case ("fold", 3):
            try folded(FoldWorkload(events: numbers[0], subjects: numbers[1]), numbers[2])
        case ("fold-month", 2): try folded(FoldWorkload(people: numbers[0]), numbers[1])
        default: nil
        }
    }

    /// - Parameter passes: How often everything is folded, each time into fresh states.
    private func folded(_ workload: FoldWorkload, _ passes: Int) throws -> Measurement {
        var sum: UInt64 = 0
        let start = ContinuousClock.now
        for _ in 0..<passes { sum &+= try workload.fold() }
        var measurement = measured(since: start, events: workload.eventCount * passes)
        measurement.note(sum: sum)
        return measurement
    }

    func run(_ name: String) async throws -> Measurement {
        switch (name, words.count, numbers.count) {
        case ("create", 0, 0): try create()
        case ("append-store", 0, 3): try appendToStore()
        case ("append-ledger", 0, 3): try await appendToLedger()
        case ("append-batches", 0, 3): try await appendBatches()
        case ("consume", 0, 3): try await consume()
        case ("latency", 0, 5): try await latency()
        case ("export", 1, 0): try export()
        case ("import", 1, 1): try await importLines()
        case ("records", 1, 0): try records()
        case ("fold-cases", 1..., 1): try foldCases()
        case ("month", 1, 1): try await month()
        case ("scan", 0, 0): try scan()
        case ("replay", 1, 2): try replay()
        case ("what-if", 1, 1): try whatIf()
        case ("digests", 0, 1): try digests()
        case ("backup", 1, 0): try backup()
        case ("copy", 1, 0): try copy()
        case ("prove", 0, 0): try prove()
        case ("verify-all", 0, 0): try verifyAll()
        case ("snapshot", 0, 0): try snapshot()
        case ("open", 0, 1): try open()
        case ("check", 0, 2): try check()
        case ("check-again", 0, 2): try check(isAtHand: true)
        case ("check-latency", 0, 4): try await checkLatency()
        case ("refold", 0, 2): try refold()
        case ("history", 0, 2): try history()
        case ("status", 0, 2): try status()
        case ("explain", 0, 2): try explain()
        case ("metrics", 1, 0): try metrics()
        case ("metrics-again", 1, 3): try await metricsAgain()
        case ("metrics-month", 0, 0): try metricsOfMonth()
        case ("find", 0, 3): try find()
        case ("verify-bare", 0, 1): try VerificationSamples(count: numbers[0]).bare()
        case ("verify-warm", 0, 1): try VerificationSamples(count: numbers[0]).warm()
        case ("verify-cold", 0, 1): try VerificationSamples(count: numbers[0]).cold()
        default: throw BenchmarkError("there is no sample \(name) with these arguments")
        }
    }

    func measured(since start: ContinuousClock.Instant, events: Int) -> Measurement {
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = Double(events)
        measurement.notePeakMemory()
        return measurement
    }

    func createLedger(_ workload: Workload) async throws -> Ledger {
        let now = workload.clock
        return try await Ledger.create(at: path, catalog: Array(Workload.catalog.utf8)) { now }
    }

    /// The batches of a workload, as ranges of its events.
    func batches(_ indices: Range<Int>, _ size: Int) -> [Range<Int>] {
        stride(from: indices.lowerBound, to: indices.upperBound, by: size).map {
            $0..<min($0 + size, indices.upperBound)
        }
    }
}
