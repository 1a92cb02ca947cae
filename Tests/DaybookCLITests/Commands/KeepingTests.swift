import DaybookEvents
import Foundation
import Testing

@Suite("Command line: catalogs and keeping")
struct KeepingTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func tell(_ line: String) throws -> ToolResult {
        try bench.run(line + " --ledger \(ledger)")
    }

    private func writeCatalog(_ name: String, _ change: (String) -> String) throws {
        let text = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        try bench.write(change(text), to: name)
    }

    @Test("catalog check finds mistakes with their places, and needs no ledger")
    func check() throws {
        let fine = try bench.run(["catalog", "check", Workbench.dozzi, "--json"])
        #expect(fine.status == 0)
        #expect(try fine.json["valid"] == true)
        #expect(try fine.json.at("counts.meters") == 1)
        // No product sells it.
        try writeCatalog("doubtful.yaml") {
            $0.replacing("entitlements:\n", with: "entitlements:\n  extra: [premiumVoices]\n")
        }
        let doubtful = try bench.run("catalog check doubtful.yaml")
        #expect(doubtful.status == 0)
        #expect(doubtful.output.has("warning:"))
        try writeCatalog("bad.yaml") { $0.replacing("limit: 2\n", with: "limit: two\n") }
        let bad = try bench.run("catalog check bad.yaml --json")
        #expect(bad.status == 3)
        #expect(try bad.error["code"] == "bad_catalog")
        #expect(try bad.error["problems"]?.array?.first?.object?["line"]?.integer ?? 0 > 1)
        #expect(try bench.run("catalog check nothing.yaml").status == 4)
    }

    @Test("A zone that does not exist is refused with its place wherever a catalog comes in")
    func zones() throws {
        try writeCatalog("mars.yaml") {
            $0.replacing(/defaultTimeZone: .*/, with: "defaultTimeZone: Europe/Amsterdan")
        }
        #expect(try bench.text(of: "mars.yaml").has("Amsterdan"))
        for line in [
            "catalog check mars.yaml --json", "catalog publish mars.yaml --json --ledger \(ledger)",
            "init new.sqlite --catalog mars.yaml --json",
        ] {
            let result = try bench.run(line)
            #expect(result.status == 3, "\(line)")
            let problem = try #require(try result.error["problems"]?.array?.first?.object)
            #expect(problem["line"]?.integer ?? 0 > 1)
            #expect(problem["reason"]?.text?.has("Did you mean `Europe/Amsterdam`?") == true)
        }
        #expect(!bench.exists("new.sqlite"))
    }

    @Test("A funnel that is never finished is warned of, by check and by doctor")
    func funnelWarning() throws {
        try writeCatalog("never.yaml") {
            $0.replacing("        event: checkout.completed", with: "        event: usage.reset")
        }
        let checked = try bench.run("catalog check never.yaml --json")
        #expect(checked.status == 0)
        let warning = try #require(try checked.json["warnings"]?.array?.first?.object)
        #expect(warning["sentence"]?.text?.has("`usage.reset`") == true)
        #expect(warning["line"]?.integer ?? 0 > 1)
        #expect(warning["column"]?.integer ?? 0 > 1)
        #expect(try tell("catalog publish never.yaml").status == 0)
        let doctor = try tell("doctor").output
        #expect(doctor.has("usage.reset"))
        #expect(doctor.has("column \(warning["column"]?.integer ?? 0)"))
    }

    @Test("X-13 X-14 catalog publish changes limits at once, show lists, rollback brings back")
    func publish() throws {
        try writeCatalog("five.yaml") { $0.replacing("limit: 2\n", with: "limit: 5\n") }
        let published = try tell("catalog publish five.yaml --actor kim --json")
        #expect(published.status == 0, "\(published.errors)")
        #expect(try published.json["version"] == 2)
        #expect(try tell("check ada stories --json").json["limit"] == 5)
        #expect(try tell("catalog publish five.yaml --json").json["published"] == false)
        let list = try #require(try tell("catalog show --json").json["versions"]?.array)
        #expect(list.count == 2)
        let document = try tell("catalog show 2").output
        #expect(document == (try bench.text(of: "five.yaml")))
        #expect(try tell("catalog rollback 1").status == 0)
        #expect(try tell("check ada stories --json").json["limit"] == 2)
        #expect(try tell("catalog rollback 9").status == 3)
        #expect(try tell("catalog show 9").status == 3)
    }

    @Test("A published structure stays; other apps, the past and odd scopes are refused")
    func publishRefusals() throws {
        try writeCatalog("month.yaml") {
            $0.replacing("period: lifetime", with: "period: calendarMonth")
        }
        let structure = try tell("catalog publish month.yaml --json")
        #expect(structure.status == 3)
        #expect(try structure.error["code"] == "catalog_conflict")
        #expect(
            try bench.run(["catalog", "publish", Workbench.ollie, "--ledger", ledger]).status == 3)
        try writeCatalog("five.yaml") { $0.replacing("limit: 2\n", with: "limit: 5\n") }
        let past = try tell("catalog publish five.yaml --effective 2026-01-01T00:00:00Z --json")
        #expect(past.status == 3)
        #expect(try past.error["code"] == "retroactive")
        #expect(try tell("catalog publish five.yaml --applies-to some").status == 2)
        _ = try tell("consume ada stories --ref s1")
        let changed = try tell(
            "catalog publish five.yaml --effective 2026-01-01T00:00:00Z --retroactive --json")
        #expect(changed.status == 0)
        #expect(try changed.json["changed_answers"] == 2)
    }

    @Test("X-12 catalog products tells names, kinds and prices in the language asked for")
    func products() throws {
        let dozzi = try #require(try tell("catalog products --json").json["products"]?.array)
        #expect(dozzi.first?.object?["id"] == "com.dozzi.unlimited_stories")
        #expect(dozzi.first?.object?["kind"] == "nonConsumable")
        #expect(dozzi.first?.object?["name"] == "Unlimited Stories")
        #expect(dozzi.first?.object?["display_price"] == "$2.99")
        let magical = try bench.begin(Workbench.magical, name: "m.sqlite")
        let text = try bench.run("catalog products --locale en --ledger \(magical)").output
        #expect(text.has("8.99 USD"))
        #expect(text.has("every P1M"))
        let fork = try bench.begin(
            "\(Workbench.repository)/events/fork-in-the-road/catalog.yaml", name: "f.sqlite")
        func prices(_ at: String) throws -> [JSONValue?] {
            try #require(
                try bench.run("catalog products --at \(at) --json --ledger \(fork)")
                    .json["products"]?.array
            ).map { $0.object?["price"] }
        }
        #expect(try prices("2026-12-31T23:59:59.999Z") == ["launch", "launch"])
        #expect(try prices("2027-01-01T00:00:00Z") == ["regular", "regular"])
        let table = try bench.run("catalog products --at 2027-01-01T00:00:00Z --ledger \(fork)")
        #expect(table.output.has("regular 3.99 USD from 2027-01-01T00:00:00Z, asked"))
        #expect(try bench.run("catalog products --at soon --ledger \(fork)").status == 3)
    }

    @Test("A cohort is a fixed share of the customers")
    func cohort() throws {
        try writeCatalog("five.yaml") { $0.replacing("limit: 2\n", with: "limit: 5\n") }
        #expect(try tell("catalog publish five.yaml --applies-to cohort:0").status == 0)
        #expect(try tell("check ada stories --json").json["limit"] == 2)
        try writeCatalog("six.yaml") { $0.replacing("limit: 2\n", with: "limit: 6\n") }
        #expect(try tell("catalog publish six.yaml --applies-to cohort:50").status == 0)
        let limits = try (0..<16).map {
            try tell("check u\($0) stories --json").json["limit"]?.integer ?? 0
        }
        #expect(Set(limits) == [2, 6])
        #expect(
            try (0..<16).map { try tell("check u\($0) stories --json").json["limit"]?.integer ?? 0 }
                == limits)
        try writeCatalog("seven.yaml") { $0.replacing("limit: 2\n", with: "limit: 7\n") }
        #expect(try tell("catalog publish seven.yaml --applies-to cohort:100").status == 0)
        #expect(try tell("check ada stories --json").json["limit"] == 7)
    }

    @Test("snapshot tells what it wrote, and changes no answer")
    func snapshot() throws {
        _ = try tell("consume ada stories --ref s1")
        let before = try tell("status ada --at 2027-01-01T00:00:00Z --json").output
        let json = try tell("snapshot --json").json
        let path = try #require(json["path"]?.text)
        #expect(json["position"]?.integer == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.size] as? Int64 ?? 0) > json["bytes"]?.integer ?? .max)
        #expect(try tell("status ada --at 2027-01-01T00:00:00Z --json").output == before)
    }

    @Test("X-02 replay from zero agrees with the live state, for any number of workers")
    func replay() throws {
        for index in 0..<20 {
            _ = try bench.run([
                "record", Lines.usage("s\(index)", subject: "u\(index % 7)"), "--ledger", ledger,
            ])
        }
        var digests: Set<String> = []
        for workers in [1, 2, 7] {
            let result = try tell("replay --workers \(workers) --json")
            #expect(result.status == 0)
            #expect(try result.json["agrees"] == true)
            // A fresh process has no state at hand: every aggregate is folded in another way.
            #expect(
                try result.json.at("compared.chain_aggregates") == (try result.json["aggregates"]))
            #expect(try result.json.at("compared.chain_step") == 1)
            #expect(try result.json.at("compared.cached_aggregates") == 0)
            digests.insert(try result.json["digest"]?.text ?? "")
            digests.insert(try result.json["live_digest"]?.text ?? "")
        }
        #expect(digests.count == 1)
        let digest = try #require(digests.first)
        #expect(try tell("replay --expect \(digest)").status == 0)
        #expect(try tell("replay --expect 00").status == 1)
    }

    @Test("replay and verify exit with 1 where the snapshot was given another digest")
    func replayBesideSnapshot() throws {
        _ = try tell("consume ada stories --ref s1")
        let path = try #require(try tell("snapshot --json").json["path"]?.text)
        let sound = try tell("replay --json")
        #expect(sound.status == 0)
        #expect(try sound.json.at("compared.snapshot_position") == 2)
        #expect(try sound.json.at("compared.snapshot_agrees") == true)
        #expect(try tell("replay").output.has("the snapshot of position 2"))
        // The digest in the header is changed, and the header's CRC-32C made to fit.
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[104] ^= 1
        bytes.replaceSubrange(140..<144, with: [0, 0, 0, 0])
        var checksum = UInt32.max
        for byte in bytes[..<(144 + 56 * Int(bytes[136]))] {
            checksum ^= UInt32(byte)
            for _ in 0..<8 {
                checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0x82F6_3B78 : checksum >> 1
            }
        }
        let fitting = withUnsafeBytes(of: (~checksum).littleEndian, Array.init)
        bytes.replaceSubrange(140..<144, with: fitting)
        try Data(bytes).write(to: URL(filePath: path))
        let planted = try tell("replay --json")
        #expect(planted.status == 1, "\(planted.errors)")
        #expect(try planted.json["agrees"] == false)
        #expect(try planted.json.at("compared.snapshot_agrees") == false)
        #expect(try planted.json["differences"]?.array?.count == 1)
        let verified = try tell("verify --json")
        #expect(verified.status == 1)
        #expect(try verified.json["clean"] == false)
    }

    @Test("replay takes a file of events instead of a ledger, whatever the order of its lines")
    func replayFile() throws {
        let stream = "\(Workbench.repository)/events/dozzi/refund-after-two-stories.ndjson"
        let first = try bench.run(["replay", stream, "--json"])
        #expect(first.status == 0, "\(first.errors)")
        let lines = try String(contentsOfFile: stream, encoding: .utf8).split(separator: "\n")
        let shuffled = lines.reversed().map { line in
            // Without recorded times the order of arrival is the order of the file.
            line.replacing(/"recorded_at":\d+,/, with: "")
        }.joined(separator: "\n")
        try bench.write(shuffled, to: "shuffled.ndjson")
        let other = try bench.run(
            ["replay", "shuffled.ndjson", "--catalog", Workbench.dozzi, "--json"])
        #expect(other.status == 0, "\(other.errors)")
        #expect(try other.json["digest"] == (try first.json["digest"]))
        #expect(try bench.run("replay shuffled.ndjson").status == 3)
        #expect(try bench.run("replay nothing.ndjson").status == 4)
    }

    @Test("verify is clean on a healthy ledger and doctor knows it, without changing a byte")
    func health() throws {
        _ = try tell("consume ada stories --ref s1")
        let bytes = try Data(contentsOf: URL(filePath: ledger))
        let verified = try tell("verify --json")
        #expect(verified.status == 0)
        #expect(try verified.json["clean"] == true)
        #expect(try verified.json["checks"]?.array?.isEmpty == false)
        let doctor = try tell("doctor --json")
        #expect(doctor.status == 0)
        #expect(try doctor.json["healthy"] == true)
        #expect(try Data(contentsOf: URL(filePath: ledger)) == bytes)
        let short = try tell("doctor").output
        #expect(short.split(separator: "\n").count == 1)
        #expect(short.has("findings are fine; --all lists them"))
        #expect(try tell("doctor --all").output.has("schema version"))
        _ = try bench.run(
            ["import", "-", "--ledger", ledger], input: Lines.purchase("ada") + Lines.refund("ada"))
        // What is wrong comes first.
        for line in ["doctor ada", "doctor ada --all"] {
            #expect(
                try tell(line).output.split(separator: "\n").first?.contains("refunded") == true)
        }
        let severities = try #require(try tell("doctor ada --json").json["findings"]?.array)
            .compactMap { $0.object?["severity"]?.text }
        #expect(severities == severities.sorted { $0 == "warning" && $1 == "fine" })
        #expect(Set(severities) == ["warning", "fine"])
    }

    @Test(
        "NZ-25 doctor warns of a shared secret, which nothing needs, and of dead letters that wait")
    func warnings() throws {
        let told = try bench.run(
            ["doctor", "--env", "test", "--json", "--ledger", ledger],
            environment: ["APP_STORE_SHARED_SECRET": "x"]
        ).json
        func codes(_ answer: JSONObject) -> [String] {
            (answer["findings"]?.array ?? []).compactMap { $0.object?["code"]?.text }
        }
        #expect(codes(told) == ["shared_secret"])
        #expect(told["healthy"] == true)
        let refused = try bench.run(
            ["ingest", "-", "--bundle-id", "com.example", "--env", "test", "--ledger", ledger],
            input: "nothing that Apple signs")
        #expect(refused.status == 3)
        #expect(codes(try tell("doctor --env test --json").json) == ["dead_letters"])
        // Whatever environment is asked about.
        #expect(codes(try tell("doctor --json").json) == ["dead_letters"])
    }

    @Test("schema lists, prints and writes the events' schemas")
    func schema() throws {
        let names = try #require(try bench.run("schema --json").json["schemas"]?.array)
        #expect(!names.isEmpty)
        let name = try #require(names.first?.text)
        #expect(try bench.run("schema \(name)").json.isEmpty == false)
        #expect(try bench.run("schema no.such.event").status == 3)
        let written = try bench.run("schema --write out --json").json
        #expect(written["written"]?.integer == Int64(names.count))
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.path("out"))
        #expect(files.count == names.count)
    }

    @Test("demo plays all apps and finds everything as it must be")
    func demo() throws {
        let events = "\(Workbench.repository)/events"
        let text = try bench.run(["demo", "--events", events])
        #expect(text.status == 0, "\(text.output)\(text.errors)")
        for part in [
            "dozzi", "ollie", "premiumVoices: refunded", "premiumVoices: lifetime",
            "purchaseStarted", "same digest", "replayed",
        ] {
            #expect(text.output.has(part), "\(part)")
        }
        let json = try bench.run(["demo", "--events", events, "--json"]).json
        #expect(json["well"] == true)
        #expect(json["apps"]?.array?.count == 5)
        #expect(json.at("story.allowed_after_refund") == false)
        #expect(json.at("story.allowed_as_known_before") == true)
        #expect(json.at("replay.agrees") == true)
        #expect(try bench.run("demo --events nowhere").status == 4)
    }
}
