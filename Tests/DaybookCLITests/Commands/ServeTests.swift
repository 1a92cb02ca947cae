import DaybookFixtures
import Foundation
import Testing

/// What `daybook serve` refuses before it serves anything.
@Suite("Command line: serve")
struct ServeTests {
    @Test(
        "Options that cannot be meant together are a mistake of usage, and nothing is served",
        arguments: [
            ("", "Say which"), ("a.sqlite --demo", "Say which"),
            ("a.sqlite --port 70000", "0 to 65535"), ("a.sqlite --rate -1", "--rate -1"),
            ("a.sqlite --host 0.0.0.0", "clear text"),
            ("a.sqlite --tls-certificate c.pem", "go together"),
            ("a.sqlite --proxy 10.0.0.0/33", "--proxy 10.0.0.0/33"),
            ("a.sqlite --origin https://app.example/", "scheme and host alone"),
            ("a.sqlite --apps apps.yaml --bundle-id com.dozzi.app", "--apps says"),
        ])
    func usage(line: String, sentence: String) throws {
        let bench = try LedgerBench()
        let result = try bench.bench.run("serve \(line)")
        #expect(result.status == 2, "\(result.errors)")
        #expect(result.errors.has(sentence), "\(result.errors)")
        #expect(!bench.bench.exists("server.sqlite"))
    }

    @Test(
        "Settings of apps that are not understood are bad input, with what was most likely meant",
        arguments: [
            ("dozzi: { bundle_idz: [com.dozzi.app] }", "did you mean bundle_ids?"),
            ("dozzy: { bundle_ids: [com.dozzi.app] }", "did you mean dozzi?"),
            ("dozzi: { online: true }", "online means nothing without bundle_ids"),
            ("dozzi: { bundle_ids: com.dozzi.app }", "bundle_ids is no list of texts"),
            (
                "dozzi: { bundle_ids: [com.dozzi.app], online: perhaps }",
                "online is neither true nor false"
            ),
            (
                "dozzi: { bundle_ids: [com.dozzi.app], app_apple_id: many }",
                "app_apple_id is no number"
            ),
            ("dozzi: { revenuecat_authorization_file: two-lines }", "one line of text"),
            ("dozzi: { revenuecat_authorization_file: none }", "none"),
            ("dozzi: [1]", "write its settings as a map"), ("- dozzi", "no map of apps"),
            ("dozzi: {", "apps.yaml"),
        ])
    func settings(yaml: String, sentence: String) throws {
        let bench = try LedgerBench()
        try bench.bench.write(yaml + "\n", to: "apps.yaml")
        try bench.bench.write("one\ntwo\n", to: "two-lines")
        let result = try bench.bench.run("serve \(bench.ledger) --port 0 --apps apps.yaml")
        #expect([3, 4].contains(result.status), "\(result.errors)")
        #expect(result.errors.has(sentence), "\(result.errors)")
        #expect(!result.errors.has("serving"))
    }

    @Test("A port that is taken, a folder without ledgers, and one app twice are told")
    func environment() throws {
        let bench = try LedgerBench()
        try FreePort.taken { port in
            let taken = try bench.bench.run("serve \(bench.ledger) --port \(port) --json")
            #expect(taken.status == 4)
            #expect(taken.errors.has("cannot_listen"), "\(taken.errors)")
            #expect(taken.errors.has("Address already in use"), "\(taken.errors)")
        }
        try FileManager.default.createDirectory(
            atPath: bench.bench.path("empty"), withIntermediateDirectories: true)
        let empty = try bench.bench.run("serve --data empty --port 0")
        #expect(empty.status == 4 && empty.errors.has("daybook init"), "\(empty.errors)")
        try bench.bench.begin(name: "b.sqlite")
        let twice = try bench.bench.run("serve --data . --port 0")
        #expect(twice.status == 4 && twice.errors.has("both ledgers of dozzi"), "\(twice.errors)")
        for file in ["c.pem", "k.pem"] { try bench.bench.write("no PEM\n", to: file) }
        let certificate = try bench.bench.run(
            "serve \(bench.ledger) --port 0 --tls-certificate c.pem --tls-key k.pem")
        #expect(certificate.status == 4, "\(certificate.errors)")
        #expect(certificate.errors.has("is no certificate to serve by"), "\(certificate.errors)")
    }

    @Test(
        "systemd takes the unit, where it is there",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func unit() throws {
        let bench = try Workbench()
        let unit = try String(
            contentsOfFile: "\(Workbench.repository)/deploy/daybook.service", encoding: .utf8)
        let own = unit.replacing("/usr/local/bin/daybook", with: Workbench.program)
        #expect(own != unit)
        try bench.write(own, to: "daybook.service")
        let result = try bench.shell("systemd-analyze verify ./daybook.service")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.output)\(result.errors)")
    }

    @Test(
        "A demo serves the five apps with what was recorded of them, by the requests that it prints"
    )
    func demo() async throws {
        let bench = try Workbench()
        let result = try bench.shell(
            """
            \(Workbench.program) serve --demo --port 0 --events \(Workbench.repository)/events > out 2> log &
            server=$!
            for i in $(seq 300); do grep -q checks out && break; sleep 0.1; done
            grep '^curl' out > requests
            . ./requests > answers
            kill -TERM $server
            wait $server
            """)
        #expect(result.status == 0, "\(result.errors)")
        let answers = try String(contentsOfFile: bench.path("answers"), encoding: .utf8)
        // Recorded customers, the use of the printed one, and that one is left.
        #expect(
            answers.contains(#""subject":"u_"#) || answers.contains(#""subject":"anon_"#),
            "\(answers)")
        #expect(answers.contains(#""used":1"#) && answers.contains(#""remaining":1"#), "\(answers)")
    }

    @Test("Who made, replaced, ended or trusted a key is in the ledger's history, and no secret is")
    func keys() throws {
        let bench = try LedgerBench()
        try bench.bench.write(String(repeating: "s3cret-", count: 8), to: "secret")
        let made = try bench.tell(
            ["key", "create", "--scope", "store", "--label", "functions", "--actor", "kim"])
        #expect(made.status == 0, "\(made.errors)")
        let text = try #require(made.output.split(separator: "\n").first.map(String.init))
        for words in [
            ["key", "rotate", "functions", "--overlap", "PT1H", "--actor", "sam"],
            ["key", "trust", "b1", "--algorithm", "HS256", "--file", "secret", "--actor", "kim"],
            ["key", "distrust", "b1", "--actor", "kim"],
        ] {
            let done = try bench.tell(words)
            #expect(done.status == 0, "\(words): \(done.errors)")
        }
        let listed = try bench.tell(["key", "list", "--json"]).json
        let rotated = try #require(listed["keys"]?.array?.last?.object?["id"]?.text)
        let revoked = try bench.tell(
            ["key", "revoke", rotated, "--actor", "kim", "--reason", "leaked"])
        #expect(revoked.status == 0, "\(revoked.errors)")
        let events = try bench.bench.events().filter {
            $0["type"]?.text?.hasPrefix("ops.key_") == true
        }
        #expect(
            events.map { $0["type"]?.text } == [
                "ops.key_created", "ops.key_rotated", "ops.key_trusted", "ops.key_distrusted",
                "ops.key_revoked",
            ])
        #expect(events.map { $0["actor"]?.text } == ["kim", "sam", "kim", "kim", "kim"])
        #expect(events.last?["reason"] == "leaked")
        #expect(events.last?.at("data.key_id")?.text == rotated)
        let history = "\(events)"
        #expect(!history.contains(text.suffix(20)) && !history.contains("s3cret"))
    }
}
