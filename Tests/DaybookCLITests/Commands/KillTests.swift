import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

/// SIGKILL at random moments: what was acknowledged is there, once (law 5).
@Suite("Command line: killed writers", .serialized)
struct KillTests {
    /// SplitMix64 (Steele, Lea, Flood 2014), so that a printed seed repeats the moments.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let isSoak =
        ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == "soak"

    private static func generator() -> Generator {
        let given = ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("seed \(seed): repeat with DAYBOOK_SEED=\(seed)")
        return Generator(state: seed)
    }

    /// Turns without sleeping, for up to about two milliseconds.
    private static func spin(_ generator: inout Generator) {
        var turns = Int.random(in: 0..<200_000, using: &generator)
        while turns > 0 { turns -= generator.next() == 0 ? 2 : 1 }
    }

    @Test("Every acknowledged event is there once after SIGKILL, and the next open works")
    func killedWriter() throws {
        var generator = Self.generator()
        let bench = try Workbench()
        let ledger = try bench.begin()
        let rounds = Self.isSoak ? 1_000 : 50
        var acknowledged: [String] = []
        for round in 0..<rounds {
            let count = Int.random(in: 0..<40, using: &generator)
            acknowledged += try kill(
                after: count, round: round, ledger: ledger, bench: bench, &generator)
        }
        let events = try bench.events()
        var keys: [String: Int] = [:]
        for event in events { keys[event.at("source.key")?.text ?? "", default: 0] += 1 }
        #expect(acknowledged.count > rounds)
        #expect(acknowledged.allSatisfy { keys[$0] == 1 })
        #expect(keys.values.allSatisfy { $0 == 1 })
        #expect(events.map { $0["position"]?.integer } == (1...events.count).map(Int64.init))
        let verified = try bench.run("verify --ledger \(ledger)")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(try bench.run("consume after stories --ref last --ledger \(ledger)").status == 0)
    }

    /// - Returns: The keys whose receipts were read, before or after the kill.
    private func kill(
        after count: Int, round: Int, ledger: String, bench: Workbench,
        _ generator: inout Generator
    ) throws -> [String] {
        let lines = (0..<120).map { Lines.usage("r\(round)-\($0)", subject: "u\($0 % 9)") }
        var (command, _) = try bench.command(
            ["record", "-", "--stream", "--json", "--ledger", ledger], input: lines.joined())
        let pipe = Pipe()
        command.output = .pipe(pipe)
        let process = try command.start()
        var received = Data()
        func receipts() -> Int { received.count { $0 == UInt8(ascii: "\n") } }
        while receipts() < count {
            let piece = pipe.fileHandleForReading.availableData
            guard !piece.isEmpty else { break }
            received += piece
        }
        Self.spin(&generator)
        process.signal(SIGKILL)
        while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
            received += piece
        }
        process.wait()
        // A receipt that was cut short was not given.
        return (0..<receipts()).map { "r\(round)-\($0)" }
    }

    @Test("An import that was killed is finished by running it again")
    func killedImport() throws {
        var generator = Self.generator()
        let rounds = Self.isSoak ? 50 : 5
        for round in 0..<rounds {
            let bench = try Workbench()
            let ledger = try bench.begin()
            let total = 6_000
            let lines = (0..<total).map { Lines.usage("i\($0)", subject: "u\($0 % 97)") }
            try bench.write(lines.joined(), to: "in.ndjson")
            let line = "import in.ndjson --json --ledger \(ledger)"
            let (command, _) = try bench.command(line.split(separator: " ").map(String.init))
            let process = try command.start()
            for _ in 0..<Int.random(in: 0..<400, using: &generator) { Self.spin(&generator) }
            process.signal(SIGKILL)
            process.wait()
            let verified = try bench.run("verify --ledger \(ledger)")
            #expect(verified.status == 0, "round \(round): \(verified.output)\(verified.errors)")
            let again = try bench.run(line)
            #expect(again.status == 0, "round \(round): \(again.errors)")
            let counts = try again.json
            let sum = (counts["appended"]?.integer ?? 0) + (counts["duplicates"]?.integer ?? 0)
            #expect(sum == Int64(total))
            #expect(try bench.events().count == total + 1)
        }
    }
}
