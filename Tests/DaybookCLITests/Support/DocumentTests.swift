import DaybookFixtures
import Foundation
import Testing

/// What the documents tell people to type.
@Suite("Command line: the commands of the documents")
struct DocumentTests {
    private static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(Workbench.repository)/\(name)", encoding: .utf8)
    }

    /// The fenced blocks of a document with this word behind the fence.
    private static func blocks(_ document: String, _ language: String) -> [String] {
        document.components(separatedBy: "\n```").enumerated().compactMap { index, part in
            guard index % 2 == 1, let end = part.firstIndex(of: "\n") else { return nil }
            return part[..<end] == language ? String(part[part.index(after: end)...]) : nil
        }
    }

    /// A folder that looks like the repository after `make build`.
    private static func built() throws -> Workbench {
        let bench = try Workbench()
        let program = URL(filePath: Workbench.program).deletingLastPathComponent().path
        let made = try bench.shell("mkdir .build && ln -s '\(program)' .build/release")
        try #require(made.status == 0)
        return bench
    }

    /// Runs a session line by line and stops at the first that fails.
    /// - Parameter script: `make` targets are only asked whether they exist: building is what made this test.
    private static func run(_ script: String, in bench: Workbench) throws -> ToolResult {
        let make = "make() { command make -n -C '\(Workbench.repository)' \"$@\" > /dev/null; }"
        return try bench.shell("export PATH=/usr/bin:/bin; \(make)\nset -e\n\(script)")
    }

    @Test(
        "Every command of a document runs, from top to bottom",
        arguments: [
            "README.md", "docs/cli.md", "events/README.md", "docs/auditing.md",
            "docs/reproducing-a-bug.md", "docs/operating.md", "docs/metrics.md", "docs/replay.md",
        ])
    func sessions(name: String) throws {
        let document = try Self.text(name)
        let script = Self.blocks(document, "sh").joined(separator: "\n")
        #expect(script.has("daybook "))
        let path = "export PATH=\"$PWD/.build/release:$PATH\"\n"
        // Only the first page tells how to get the command onto the path.
        let isGuide = !["README.md", "docs/cli.md"].contains(name)
        let result = try Self.run((isGuide ? path : "") + script, in: try Self.built())
        #expect(result.status == 0, "\(result.output.suffix(500))\(result.errors)")
    }

    @Test(
        "docs/app-store.md runs in an empty folder, and ends with every dead letter resolved or dismissed"
    )
    func appStore() throws {
        let document = try Self.text("docs/app-store.md")
        let script = Self.blocks(document, "sh").joined(separator: "\n")
        #expect(script.has("daybook ingest") && script.has("daybook sandbox sign"))
        let bench = try Self.built()
        let setUp = "export PATH=\"$PWD/.build/release:$PATH\"\nmkdir empty && cd empty\n"
        let result = try Self.run(setUp + script, in: bench)
        #expect(result.status == 0, "\(result.output.suffix(500))\(result.errors)")
        let deadLetters = try bench.run(
            "dead-letters list --all --json --ledger empty/bedtime.sqlite"
        ).json["dead_letters"]?.array
        #expect(deadLetters?.map { $0.object?["standing"] } == ["dismissed"])
        let status = try bench.run(
            "check bea unlimitedStories --env test --ledger empty/bedtime.sqlite")
        #expect(status.status == 0)
    }

    @Test(
        "The sessions with a server run as they stand, and what they say is answered",
        arguments: [
            (
                "docs/quickstart.md",
                [
                    #"{"status":"ready"}"#, #""reason":"free_quota","#, #""remaining":2"#,
                    "2 stories remaining", #""code":"limit_reached""#,
                    "stories: 2 of 2 used, 1 requested", #""outcome":"theirs""#,
                    #""reason":"lifetime""#, #""status":"unlimited""#,
                    #"{"appended":2,"duplicates":0,"refused":[]}"#, #""reason":"refunded""#,
                    #""more":false,"place":"1"#, "stopped",
                ]
            ), ("docs/server.md", [#""allowed":true"#, #""used":1"#, #""meters":{"stories""#]),
        ])
    func servers(name: String, answers: [String]) throws {
        let document = try Self.text(name)
        let port = try FreePort.find()
        let script = Self.blocks(document, "sh").joined(separator: "\n")
            .replacing(/--port 81\d\d/, with: "--port \(port)")
            .replacing(/127\.0\.0\.1:81\d\d/, with: "127.0.0.1:\(port)")
        #expect(script.has("daybook serve") && script.has("127.0.0.1:\(port)"))
        let bench = try Self.built()
        // Whatever fails, no server goes on.
        let setUp = """
            command -v curl > /dev/null || { echo "curl is not installed" >&2; exit 42; }
            export PATH="$PWD/.build/release:$PATH"
            trap 'kill $(jobs -p) 2> /dev/null || true' EXIT

            """
        let result = try bench.shell(
            "export PATH=/usr/bin:/bin\nset -e\n\(setUp)\(script)")
        #expect(result.status == 0, "\(result.output.suffix(800))\(result.errors)")
        for answer in answers {
            #expect(result.output.has(answer), "\(answer) in \(result.output)")
        }
    }

    @Test("docs/migrating.md moves counters, flags and children in, and twice is once")
    func migrating() throws {
        let script = Self.blocks(try Self.text("docs/migrating.md"), "sh").joined(separator: "\n")
        let bench = try Self.built()
        let path = "export PATH=\"$PWD/.build/release:$PATH\"\n"
        let result = try Self.run(path + script, in: bench)
        #expect(result.status == 0, "\(result.output.suffix(500))\(result.errors)")
        #expect(result.output.has("0 events appended, 15 there before"))
        for (name, used, remaining) in [("ada", 0, 2), ("ben", 1, 1), ("cat", 2, 0)]
            as [(String, Int64, Int64)]
        {
            let json = try bench.run("status \(name) --json --ledger dozzi.sqlite").json
            #expect(json.at("meters.stories.used") == .integer(used), "\(name)")
            #expect(json.at("meters.stories.remaining") == .integer(remaining), "\(name)")
        }
        let dan = try bench.run(
            "status dan --at 2026-12-31T00:00:00Z --json --ledger dozzi.sqlite"
        ).json
        #expect(dan.at("meters.stories.remaining") == .null)
        #expect(dan["status"] == "unlimited")
        // After the bridge nothing of what was covered counts.
        let later = try bench.run(
            "status dan --at 2027-01-01T00:00:00Z --json --ledger dozzi.sqlite"
        ).json
        #expect(later["status"] == "free" && later.at("meters.stories.used") == 0)
        let eva = try bench.run("status eva --json --ledger magical.sqlite").json
        #expect(eva.at("meters.child_profiles.limit") == 3)
        #expect(eva.at("meters.child_profiles.excess") == 0)
        let create = "profile create eva c4 --kind child --ledger magical.sqlite"
        #expect(try bench.run(create).status == 1)
    }

    @Test("The README's session says what the README shows")
    func readme() throws {
        let document = try Self.text("README.md")
        let session = try #require(
            Self.blocks(document, "").first { $0.hasPrefix("$ export PATH") })
        let lines = session.components(separatedBy: "\n")
        let script = lines.filter { $0.hasPrefix("$ ") }.map { line in
            // What is answered with no ends with 1, which a session survives.
            let command = line.dropFirst(2)
            return "echo '$ '\(Self.quoted(String(command)))\n\(command) || test $? = 1\n"
        }
        let result = try Self.run(script.joined(), in: try Self.built())
        #expect(result.status == 0, "\(result.errors)")
        func normalised(_ text: String) -> String {
            text.replacing(/as of 2[0-9T:.\-]+Z/, with: "as of <time>")
                .trimmingCharacters(in: .newlines)
        }
        #expect(normalised(result.output) == normalised(session))
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    @Test("The README's targets of make are there, and its query of the file runs")
    func rest() throws {
        let document = try Self.text("README.md")
        let targets = document.matches(of: /[`\n]make ([a-z-]+)/).map { String($0.1) }
        #expect(Set(targets).isSuperset(of: ["demo", "test", "build", "bench", "soak"]))
        let bench = try Self.built()
        for target in Set(targets) {
            let result = try Self.run("make \(target)", in: bench)
            #expect(result.status == 0, "make \(target): \(result.errors)")
        }
        let query = try #require(document.firstMatch(of: /`(sqlite3 [^`]+)`/)).1
        try bench.begin(name: "dozzi.sqlite")
        let shown = try bench.shell("command -v sqlite3 > /dev/null || exit 42; \(query)")
        #expect(shown.status == 42 || shown.output.has("catalog.published"), "\(shown.errors)")
    }
}
