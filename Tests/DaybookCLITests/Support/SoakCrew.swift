import Daybook
import DaybookEvents
import DaybookFixtures
import Foundation
import Synchronization

/// The processes and tasks that work on the ledger during a soak, and what they were promised.
final class SoakCrew: Sendable {
    /// Tickets of one shared customer.
    static let limit = 40
    static let catalog = """
        app: soak
        defaultTimeZone: UTC
        meters:
          tickets: { kind: counter, limit: \(limit) }
          stories: { kind: counter, period: calendarMonth, limit: unlimited }
          boxes: { kind: gauge, limit: unlimited }

        """

    private struct Notes {
        var acknowledged: Set<UInt64> = []
        var successes: [String: Int] = [:]
        /// Shared customers below this number have no ticket left.
        var exhausted = 0
        var refusals = 0
        var kills = 0
        var overloads = 0
        var rounds: [String: Int] = [:]
        var surprises: [String] = []
        /// After a third of the time, when everything has happened once, and the most after that.
        var residentAtRest: (bytes: Int, position: Int64)?
        var residentByteCountMax = 0
        var nextReport: Double = 0
    }

    let bench: Workbench
    let path: String
    let ledger: Ledger
    private let notes = Mutex(Notes())
    private let start = ProcessInfo.processInfo.systemUptime
    private let seconds: Double

    init(bench: Workbench, path: String, ledger: Ledger, seconds: Double) {
        self.bench = bench
        self.path = path
        self.ledger = ledger
        self.seconds = seconds
    }

    var acknowledged: Set<UInt64> { notes.withLock { $0.acknowledged } }
    var surprises: [String] { notes.withLock { $0.surprises } }
    /// How far the process grew since a third of the time was over, and with how many events; `nil` for a run that was
    /// too short to tell.
    var growth: (bytes: Int, sincePosition: Int64)? {
        notes.withLock { notes in
            notes.residentAtRest.map { (notes.residentByteCountMax - $0.bytes, $0.position) }
        }
    }
    var tickets: (exhausted: Int, successes: [String: Int]) {
        notes.withLock { ($0.exhausted, $0.successes) }
    }

    private var elapsed: Double { ProcessInfo.processInfo.systemUptime - start }
    private var isTimeUp: Bool { elapsed >= seconds }

    // MARK: Working

    func work() async throws {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 { group.addTask { await self.inThread { self.tell(number) } } }
            group.addTask { await self.inThread { self.buyTickets() } }
            group.addTask { await self.inThread { self.importFiles() } }
            group.addTask { await self.inThread { self.keepHouse() } }
            group.addTask { await self.inThread { self.look() } }
            for number in 0..<4 { group.addTask { await self.take(number) } }
            group.addTask { await self.flood() }
        }
    }

    /// Processes and their files block; the few threads of tasks must stay free for those.
    private func inThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                body()
                continuation.resume()
            }
        }
    }

    private func loop(_ name: String, _ body: (Int) throws -> Void) {
        var round = 0
        while !isTimeUp {
            do {
                try body(round)
            } catch {
                surprise("\(name): \(error)")
            }
            round += 1
            notes.withLock { $0.rounds[name] = round }
        }
    }

    /// Facts, line by line; every other process is killed on its way.
    private func tell(_ number: Int) {
        loop("record \(number)") { round in
            let keys = (0..<60).map { "s\(number)-\(round)-\($0)" }
            let lines = keys.enumerated().map {
                Lines.usage($1, subject: "teller-\(($0 + round) % 500)", at: Self.month(round))
            }
            var (command, name) = try bench.command(
                ["record", "-", "--stream", "--json", "--ledger", path], input: lines.joined())
            // A pipe waits; looking at a file again and again would take a core from the other processes.
            let pipe = Pipe()
            command.output = .pipe(pipe)
            let process = try command.start()
            let isKilled = round % 2 == 1
            var output = Data()
            var isAlive = true
            while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
                output += piece
                guard isKilled, isAlive, output.count > 2_000 else { continue }
                process.signal(SIGKILL)
                isAlive = false
            }
            let status = process.wait()
            // A receipt that was cut short was not given.
            let receipts = output.count { $0 == UInt8(ascii: "\n") }
            acknowledge(keys.prefix(receipts).map { "native/\($0)" })
            if !isAlive { notes.withLock { $0.kills += 1 } }
            if !isKilled, status != 0 || receipts != keys.count {
                let errors = try bench.text(of: "\(name).err")
                surprise("record: \(status) after \(receipts): \(errors)")
            }
            bench.forget(name)
        }
    }

    /// Somewhere in the first half of the year, so that months end while the soak runs.
    private static func month(_ round: Int) -> Int64 {
        1_767_225_600_000 + Int64(round % 180) * 86_400_000
    }

    /// One process for each ticket.
    private func buyTickets() {
        loop("consume") { round in
            let customer = notes.withLock { $0.exhausted }
            let subject = "shared-\(customer)"
            let result = try run([
                "consume", subject, "tickets", "--ref", "cli-\(round)", "--json",
            ])
            switch result.status {
            case 0:
                succeed(subject, key: try result.json["key"]?.text ?? "")
            case 1: exhaust(customer)
            default: surprise("consume: \(result.status): \(result.errors)")
            }
        }
    }

    /// Files; every second one for the second time.
    private func importFiles() {
        loop("import") { round in
            let file = round / 2
            let keys = (0..<400).map { "i\(file)-\($0)" }
            let lines = keys.enumerated().map {
                Lines.usage($1, subject: "import-\($0 % 97)", at: Self.month(file))
            }
            try bench.write(lines.joined(), to: "in.ndjson")
            let result = try run(["import", "in.ndjson", "--json"])
            let report = try result.json
            let expected: (Int64, Int64) = round % 2 == 0 ? (400, 0) : (0, 400)
            let found = (report["appended"]?.integer ?? -1, report["duplicates"]?.integer ?? -1)
            if result.status != 0 || found != expected {
                surprise("import \(round): \(result.status), \(found): \(result.errors)")
            }
            acknowledge(keys.map { "native/\($0)" })
        }
    }

    /// Ticks, snapshots, checks and exports, one after the other.
    private func keepHouse() {
        // Nothing is due ahead of the clock; the months before it come round again and again.
        let months = Int64(10)
        loop("housekeeping") { round in
            let month = 1_767_225_600_000 + Int64(round) % months * 31 * 86_400_000
            let due = min(month, SystemClock.now() - 1_000)
            for words in [["tick", "--at", String(due)], ["snapshot"], ["verify"], ["tick"]] {
                let result = try run(words)
                if result.status != 0 { surprise("\(words): \(result.output)\(result.errors)") }
            }
            // An export while others write is a whole ledger, as it was at some position.
            var position: Int64 = 0
            try eachExportedLine { event in
                position += 1
                if event["position"]?.integer != position {
                    surprise("export: \(event["position"]?.integer ?? -1), not \(position)")
                }
            }
            try ledger.snapshot()
            report(position)
        }
    }

    /// Readers of other processes, and one of this process with a ledger of its own: nothing is ever taken back, and
    /// no customer has more than there is.
    private func look() {
        do {
            let reader = try Ledger.open(path, readOnly: true)
            var last: [String: Int64] = [:]
            loop("read") { round in
                let subject = "shared-\(notes.withLock { $0.exhausted })"
                for _ in 0..<200 {
                    let used = try reader.status(of: subject).status.meters
                        .first { $0.name == "tickets" }?.used
                    guard let used, used >= last[subject] ?? 0, used <= Int64(Self.limit) else {
                        surprise("\(subject): \(used ?? -1) after \(last[subject] ?? 0)")
                        continue
                    }
                    last[subject] = used
                }
                let words = ["check", subject, "tickets", "--json"]
                let result = try run(round % 2 == 0 ? words : ["status", subject, "--json"])
                if result.status > 1 { surprise("\(words): \(result.errors)") }
            }
            try reader.close()
        } catch {
            surprise("reader: \(error)")
        }
    }

    /// A task of this process takes tickets and notes stories.
    private func take(_ number: Int) async {
        var round = 0
        while !isTimeUp {
            let customer = notes.withLock { $0.exhausted }
            let subject = "shared-\(customer)"
            do {
                let receipt = try await ledger.consume(
                    "tickets", by: subject, ref: "task-\(number)-\(round)")
                succeed(subject, key: receipt.key)
            } catch LedgerError.rejected {
                exhaust(customer)
            } catch {
                await give(way: error, "take")
            }
            do {
                let key = "story-\(number)-\(round)"
                try await ledger.consume(
                    "stories", by: "writer-\(round % 211)", ref: key, key: key)
                acknowledge(["ledger/\(key)"])
            } catch {
                await give(way: error, "stories")
            }
            round += 1
            notes.withLock { $0.rounds["take \(number)"] = round }
        }
    }

    /// A full queue says so and is asked again; nothing else may go wrong.
    private func give(way error: any Error, _ name: String) async {
        guard case LedgerError.store(let reason) = error, reason.code == .overloaded else {
            return surprise("\(name): \(error)")
        }
        notes.withLock { $0.overloads += 1 }
        await Task.yield()
    }

    /// More at once than the queue holds: each is answered, with a receipt or with "overloaded".
    private func flood() async {
        let answers = await withTaskGroup(of: String?.self) { group in
            for number in 0..<15_000 {
                group.addTask {
                    do {
                        let key = "flood-\(number)"
                        try await self.ledger.consume(
                            "stories", by: "flood-\(number % 997)", ref: key, key: key)
                        self.acknowledge(["ledger/\(key)"])
                        return nil
                    } catch LedgerError.store(let error) where error.code == .overloaded {
                        return nil
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        if answers.count != 15_000 { surprise("flood: \(answers.count) answers") }
        for case let problem? in Set(answers) { surprise("flood: \(problem)") }
    }

    // MARK: Notes

    private func run(_ words: [String]) throws -> ToolResult {
        let (command, name) = try bench.command(words + ["--ledger", path])
        defer { bench.forget(name) }
        return try bench.result(of: command.start(), name)
    }

    private func acknowledge(_ keys: [String]) {
        notes.withLock { notes in
            for key in keys { notes.acknowledged.insert(Self.hash(key)) }
        }
    }

    private func succeed(_ subject: String, key: String) {
        notes.withLock {
            $0.successes[subject, default: 0] += 1
            $0.acknowledged.insert(Self.hash("ledger/\(key)"))
        }
    }

    private func exhaust(_ customer: Int) {
        notes.withLock {
            $0.refusals += 1
            $0.exhausted = max($0.exhausted, customer + 1)
        }
    }

    private func surprise(_ text: String) {
        notes.withLock { if $0.surprises.count < 20 { $0.surprises.append(text) } }
    }

    /// FNV-1a: millions of keys would not be kept as texts.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private func report(_ position: Int64) {
        let bytes = Self.residentByteCount()
        let isDue = notes.withLock { notes in
            if notes.residentAtRest == nil, elapsed > seconds / 3 {
                notes.residentAtRest = (bytes, position)
                notes.residentByteCountMax = bytes
            }
            notes.residentByteCountMax = max(notes.residentByteCountMax, bytes)
            guard elapsed >= notes.nextReport else { return false }
            notes.nextReport = elapsed + 10
            return true
        }
        if isDue { print(progress(position)) }
    }

    func progress(_ position: Int64) -> String {
        notes.withLock { notes in
            let rounds = notes.rounds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return """
                soak \(Int(elapsed)) of \(Int(seconds)) s: \(position) events, \
                \(notes.acknowledged.count) acknowledged, \(notes.exhausted) meters used up, \
                \(notes.refusals) refusals, \(notes.overloads) overloads, \(notes.kills) kills, \
                \(Self.residentByteCount() >> 20) MiB; \(rounds.joined(separator: ", "))
                """
        }
    }

    /// Reads an export line by line.
    func eachExportedLine(_ body: (JSONObject) throws -> Void) throws {
        let (command, name) = try bench.command(["export", "--ledger", path])
        defer { bench.forget(name) }
        guard try command.start().wait() == 0 else {
            return surprise("export: \(try bench.text(of: "\(name).err"))")
        }
        let bytes = try Data(contentsOf: URL(filePath: bench.path("\(name).out")))
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let event = try JSONReader.read(Array(line)).object else { continue }
            try body(event)
        }
    }

    /// What the system holds in memory for this process, as Linux tells it; 0 elsewhere.
    private static func residentByteCount() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            // Only Linux has it; elsewhere nothing is measured.
            return 0
        }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize())
    }
}
