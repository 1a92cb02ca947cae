import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("Command line: changes")
struct ChangesTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func consume(_ numbers: ClosedRange<Int>, by subject: String = "ada") throws {
        for number in numbers {
            let line = "consume \(subject)\(number) stories --ref r\(number)"
            #expect(try bench.run("\(line) --ledger \(ledger)").status == 0)
        }
    }

    private func lines(_ output: String) throws -> [JSONObject] {
        try output.split(separator: "\n").map {
            try #require(try JSONReader.read(Array($0.utf8)).object)
        }
    }

    private func changes(_ options: String = "") throws -> [JSONObject] {
        let result = try bench.run("changes --json \(options) --ledger \(ledger)")
        try #require(result.status == 0, "\(result.errors)")
        return try lines(result.output)
    }

    private func positions(_ lines: [JSONObject]) -> [Int64] {
        lines.dropLast().compactMap { $0["position"]?.integer }
    }

    @Test("Each event is that of the export with its place, and the last line says where to go on")
    func whole() throws {
        try consume(1...5)
        let lines = try changes()
        let exported = try bench.events()
        #expect(lines.count == exported.count + 1)
        for (line, event) in zip(lines, exported) {
            let members = Set(event.members.map(\.name)).union(["place"])
            #expect(Set(line.members.map(\.name)) == members)
            for member in event.members where member.name != "data" {
                #expect(line[member.name] == member.value)
            }
        }
        let last = try #require(lines.last)
        #expect(last["events"] == .integer(Int64(exported.count)))
        #expect(last["more"] == false)
        #expect(last["type"] == nil)
        #expect(last["place"] == lines.dropLast().last?["place"])
        for (index, line) in lines.dropLast().enumerated() {
            let place = try #require(line["place"]?.text)
            let rest = try changes("--after \(place)")
            #expect(rest.dropLast() == lines.dropLast().dropFirst(index + 1))
            #expect(rest.last?["place"] == last["place"])
            #expect(try positions(changes("--after @\(index + 1)")) == positions(rest))
        }
    }

    @Test("Filters and limits leave events out, and every page can be gone on from")
    func filters() throws {
        try consume(1...4)
        #expect(try bench.run("alias ada2 ada3 --ledger \(ledger)").status == 0)
        #expect(try positions(changes("--type usage.recorded")) == [2, 3, 4, 5])
        #expect(
            try positions(changes("--type usage.recorded --type subject.aliased"))
                == [2, 3, 4, 5, 6])
        #expect(try positions(changes("--subject ada2")) == [3, 4, 6])
        #expect(try positions(changes("--env sandbox")) == [])
        var place: String?
        var found: [Int64] = []
        var isMore = true
        while isMore {
            let page = try changes(
                "--type usage.recorded --limit 1" + (place.map { " --after \($0)" } ?? ""))
            found += positions(page)
            place = try #require(page.last?["place"]?.text)
            isMore = page.last?["more"] == true
            try #require(page.count <= 2 && found.count <= 4)
        }
        #expect(found == [2, 3, 4, 5])
        // Of a filter that finds nothing, too.
        let none = try changes("--env sandbox")
        #expect(none.count == 1)
        #expect(none.last?["place"]?.text == place)
        let text = try bench.run("changes --after @4 --ledger \(ledger)").output
        #expect(text.has("usage.recorded  ada4\n"))
        #expect(text.hasSuffix("2 events; go on with --after \(try #require(place))\n"))
    }

    @Test(
        "What is no place is bad input",
        arguments: [
            "--after x", "--after 4", "--after @x", "--after @-1", "--after @99",
            "--type usage.recordet",
        ])
    func badInput(options: String) throws {
        let result = try bench.run("changes \(options) --json --ledger \(ledger)")
        #expect(result.status == 3)
        #expect(result.output.isEmpty)
        let codes = ["bad_place", "bad_position", "unknown_position", "unknown_name"]
        #expect(codes.contains(try result.error["code"]?.text ?? ""))
    }

    @Test("A place of the past that a restore took away is refused, with the fork")
    func restored() throws {
        try consume(1...3)
        #expect(try bench.run("backup saved.db --ledger \(ledger)").status == 0)
        try consume(4...6)
        let place = try #require(try changes().last?["place"]?.text)
        let words = ["restore", "saved.db", ledger, "--replace", "--reason", "test"]
        #expect(try bench.run(words).status == 0)
        let result = try bench.run("changes --after \(place) --json --ledger \(ledger)")
        #expect(result.status == 4)
        #expect(result.output.isEmpty)
        let error = try result.error
        #expect(error["code"] == "history_replaced")
        #expect(error["retryable"] == false)
        #expect(error["remedy"] == "daybook changes --after @4")
        #expect(error.at("fork.position") == 4)
        let fork = try #require(error.at("fork.place")?.text)
        #expect(try changes("--after \(fork)").first?["type"] == "ledger.restored")
        let stranger = try bench.begin(name: "b.sqlite")
        let other = try bench.run("changes --after \(place) --json --ledger \(stranger)")
        #expect(other.status == 4)
        #expect(try other.error["fork"] == .null)
        #expect(try other.error["remedy"] == "daybook changes --after @0")
    }

    @Test(
        "A place of a ledger that went on is ahead of a copy, which does not call that no changes")
    func ahead() throws {
        #expect(try bench.run("backup saved.db --ledger \(ledger)").status == 0)
        try consume(1...3)
        let place = try #require(try changes().last?["place"]?.text)
        let result = try bench.run("changes --after \(place) --json --ledger saved.db")
        #expect(result.status == 4)
        #expect(try result.error["code"] == "place_ahead")
        #expect(try result.error.at("end.position") == 1)
    }

    // MARK: Following

    /// A command that follows the ledger in the background.
    private func follow(_ options: String) throws -> (process: ChildProcess, name: String) {
        let words = "changes --follow --json \(options) --ledger \(ledger)".split(separator: " ")
        let (command, name) = try bench.command(words.map(String.init))
        return (try command.start(), name)
    }

    /// Waits until a command has written so many lines.
    private func wait(
        for count: Int, _ running: (process: ChildProcess, name: String)
    ) throws -> [JSONObject] {
        while true {
            let text = try bench.text(of: "\(running.name).out")
            // A line that is being written is none yet.
            let lines = text.hasSuffix("\n") ? try lines(text) : []
            if lines.count >= count { return lines }
            let errors = try bench.text(of: "\(running.name).err")
            try #require(running.process.isRunning, "\(errors)")
        }
    }

    @Test("What other processes append comes as it is recorded, each event once")
    func followed() throws {
        try consume(1...2)
        let running = try follow("--after @1 --limit 8")
        _ = try wait(for: 2, running)
        try consume(3...6)
        _ = try wait(for: 6, running)
        try consume(7...9)
        let result = try bench.result(of: running.process, running.name)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try lines(result.output).map { $0["position"]?.integer } == (2...9).map(Int64.init))
    }

    @Test("Where nothing that is asked for comes, the place goes on all the same")
    func followedInVain() throws {
        let running = try follow("--type subject.aliased")
        defer {
            running.process.signal(SIGTERM)
            running.process.wait()
        }
        #expect(try wait(for: 1, running).last?["position"] == 1)
        try consume(1...1)
        let line = try #require(try wait(for: 2, running).last)
        #expect(line["position"] == 2)
        #expect(line["events"] == 0)
        #expect(try changes("--after \(try #require(line["place"]?.text))").count == 1)
    }

    @Test("A reader that has gone, or an interruption, ends it while nothing is new")
    func ended() throws {
        let script = "daybook changes --follow --json | head -n 1; exit ${PIPESTATUS[0]}"
        let gone = try bench.shell(script, environment: ["DAYBOOK_LEDGER": ledger])
        #expect(gone.status == 141)
        #expect(gone.errors.isEmpty)
        for number in [SIGINT, SIGTERM] {
            let running = try follow("")
            _ = try wait(for: 1, running)
            running.process.signal(number)
            let result = try bench.result(of: running.process, running.name)
            #expect(result.status == -number)
            #expect(result.errors.isEmpty)
        }
        #expect(try bench.run("verify --ledger \(ledger)").status == 0)
    }

    @Test("A ledger that is restored underneath ends it, with the fork")
    func restoredUnderneath() throws {
        try consume(1...3)
        #expect(try bench.run("backup saved.db --ledger \(ledger)").status == 0)
        try consume(4...6)
        let running = try follow("")
        _ = try wait(for: 7, running)
        let words = ["restore", "saved.db", ledger, "--replace", "--reason", "test"]
        #expect(try bench.run(words).status == 0)
        let result = try bench.result(of: running.process, running.name)
        #expect(result.status == 4)
        #expect(try result.error["code"] == "history_replaced")
        #expect(try result.error.at("fork.position") == 4)
        #expect(try lines(result.output).map { $0["position"]?.integer } == (1...7).map(Int64.init))
    }

    @Test("A ledger that is restored to a state that has the place is gone on with")
    func restoredAhead() throws {
        try consume(1...3)
        #expect(try bench.run("backup saved.db --ledger \(ledger)").status == 0)
        let running = try follow("--limit 6")
        _ = try wait(for: 4, running)
        let words = ["restore", "saved.db", ledger, "--replace", "--reason", "test"]
        #expect(try bench.run(words).status == 0)
        try consume(4...4)
        let result = try bench.result(of: running.process, running.name)
        #expect(result.status == 0, "\(result.errors)")
        let lines = try lines(result.output)
        #expect(lines.map { $0["position"]?.integer } == (1...6).map(Int64.init))
        #expect(lines.dropFirst(4).first?["type"] == "ledger.restored")
    }
}
