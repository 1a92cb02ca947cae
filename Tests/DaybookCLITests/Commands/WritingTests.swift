import DaybookEvents
import Foundation
import Testing

@Suite("Command line: writing")
struct WritingTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func tell(_ line: String) throws -> ToolResult {
        try bench.run(line + " --ledger \(ledger)")
    }

    @Test("DZ-03 consume takes two stories and refuses the third, with the numbers on stdout")
    func third() throws {
        #expect(try tell("consume ada stories --ref s1").status == 0)
        let second = try tell("consume ada stories --ref s2 --json").json
        #expect(second["allowed"] == true)
        #expect(second["used"] == 2)
        #expect(second["remaining"] == 0)
        #expect(second["positions"] == [3, 4])
        #expect(second["durability"] == "FULL")
        #expect(second["key"]?.text?.isEmpty == false)
        #expect(second["recorded_at"]?.integer != nil)
        let count = try bench.events().count
        let third = try tell("consume ada stories --ref s3 --json")
        #expect(third.status == 1)
        #expect(try third.json["reason"] == "limit_reached")
        #expect(try third.json["used"] == 2)
        #expect(try third.json.at("paywall.context") == "usageLimitReached")
        #expect(try third.error["code"] == "limit_reached")
        #expect(try bench.events().count == count)
    }

    @Test("X-05 X-06 The same key prints the identical receipt; another body is a conflict")
    func idempotency() throws {
        let line = "consume ada stories --ref s1 --idempotency-key tap --json"
        let first = try tell(line)
        _ = try tell("consume ada stories --ref s2")
        let again = try tell(line)
        #expect(first.status == 0)
        #expect(first.output == again.output)
        let other = try tell("consume ada stories --ref s9 --idempotency-key tap --json")
        #expect(other.status == 3)
        #expect(try other.error["code"] == "idempotency_conflict")
        #expect(other.output.isEmpty)
    }

    @Test("The same ref counts once, whatever the key")
    func ref() throws {
        _ = try tell("consume ada stories --ref s1")
        let again = try tell("consume ada stories --ref s1 --json")
        #expect(again.status == 0)
        #expect(try again.json["used"] == 1)
        #expect(try again.json["positions"] == [])
        #expect(try again.json["done_before"] == true)
        let text = try tell("consume ada stories --ref s1")
        #expect(text.status == 0)
        #expect(text.output.has("s1 was counted for ada before; nothing to add"))
        #expect(!text.output.has("used 1 ×") && !text.output.has("recorded"))
        let first = try tell("consume ada stories --ref s2 --json").json
        #expect(first["done_before"] == false)
    }

    @Test("DZ-15 reserve holds, release gives back, commit keeps")
    func reservations() throws {
        let held = try tell("reserve ada stories 2 --id r1 --json")
        #expect(try held.json["reserved"] == 2)
        #expect(try held.json["remaining"] == 0)
        #expect(try tell("consume ada stories --ref s1").status == 1)
        #expect(try tell("release ada r1").status == 0)
        #expect(try tell("release ada r1").status == 1)
        #expect(try tell("reserve ada stories --id r2 --timeout PT1H").status == 0)
        #expect(try tell("commit ada r2").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 1)
        #expect(try tell("commit ada r9 --json").error["code"] == "unknown_reservation")
        #expect(try tell("reserve ada stories --id r3 --timeout P1M").status == 3)
    }

    @Test("A gauge goes down again with -1, and needs to know which")
    func gauge() throws {
        let fork = try bench.begin(Workbench.fork, name: "f.sqlite")
        _ = try bench.run("consume ada collections --ref c1 --ledger \(fork)")
        let down = try bench.run("consume ada collections -1 --ref c1 --json --ledger \(fork)")
        #expect(try down.json["used"] == 0)
        #expect(try bench.run("consume ada collections --ledger \(fork)").status == 3)
        #expect(try bench.run("pin ada c1 --meter collections --ledger \(fork)").status == 0)
    }

    @Test("reverse and reset give units back")
    func givingBack() throws {
        _ = try tell("consume ada stories --ref s1")
        #expect(try tell("reverse ada s1").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 0)
        _ = try tell("consume ada stories --ref s2")
        #expect(try tell("reset ada stories --actor kim --reason ticket").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 0)
        #expect(try tell("reverse ada s9").status == 1)
        #expect(try tell("reset ada storys --json").error["code"] == "unknown_name")
    }

    @Test("grant issues access and units, and takes them back")
    func grants() throws {
        #expect(try tell("grant issue ada --entitlement unlimited --id g1").status == 0)
        #expect(try tell("check ada premiumVoices --json").json["reason"] == "grant")
        #expect(try tell("grant issue ada --entitlement unlimited --id g1").status == 1)
        #expect(try tell("grant void ada g1").status == 0)
        #expect(try tell("check ada premiumVoices").status == 1)
        #expect(try tell("grant issue bob --meter stories --amount 5").status == 0)
        #expect(try tell("check bob stories --json").json["remaining"] == 7)
        #expect(try tell("grant void ada g9").status == 1)
        #expect(try tell("grant issue ada").status == 2)
        // Without an amount it would be units for ever.
        let endless = try tell("grant issue cy --meter stories")
        #expect(endless.status == 2)
        #expect(endless.errors.has("--amount N, or --unlimited"))
        #expect(try tell("grant issue cy --meter stories --amount 1 --unlimited").status == 2)
        #expect(try tell("grant issue cy --entitlement unlimited --unlimited").status == 2)
        #expect(try tell("check cy stories --json").json["remaining"] == 2)
        #expect(try tell("grant issue cy --meter stories --unlimited").status == 0)
        #expect(try tell("check cy stories --json").json["remaining"] == .null)
        #expect(try tell("grant issue ada --feature a --meter b").status == 2)
        let unknown = try tell("grant issue ada --entitlement unlimted --json")
        #expect(unknown.status == 3)
        #expect(unknown.errors.has("did you mean \"unlimited\"?"))
    }

    @Test("profile creates, assigns once, frees and deletes")
    func profiles() throws {
        let ollie = try bench.begin(Workbench.ollie, name: "o.sqlite")
        func tell(_ line: String) throws -> ToolResult {
            try bench.run(line + " --ledger \(ollie)")
        }
        #expect(try tell("profile create ada rex --kind puppy").status == 0)
        #expect(try tell("profile create ada rex --kind puppy").status == 1)
        #expect(
            try tell("check ada quickLog --profile rex --json").json["reason"] == "intro_period")
        let unknown = try tell("assign ada --transaction 77 --profile rex --json")
        #expect(try unknown.error["code"] == "unknown_transaction")
        let bought = try bench.run(
            [
                "record", "purchase.completed", "ada", "--key", "b1", "--source", "apple",
                "--trust", "verified", "--ledger", ollie, "--data",
                #"{"product":"com.ollie.premium.perdog","kind":"non_consumable","transaction_id":"77","price_milli":19000,"currency":"EUR"}"#,
            ])
        #expect(bought.status == 0, "\(bought.errors)")
        #expect(try tell("assign ada --transaction 77 --profile rex").status == 0)
        #expect(try tell("check ada export --profile rex").status == 0)
        #expect(try tell("profile create ada bella --kind puppy").status == 0)
        let second = try tell("assign ada --transaction 77 --profile bella --json")
        #expect(second.status == 1)
        #expect(try second.error["code"] == "transaction_already_assigned")
        #expect(try tell("unassign ada --transaction 77").status == 0)
        #expect(try tell("profile delete ada rex").status == 0)
    }

    @Test("alias joins two customers, unalias parts them")
    func aliases() throws {
        _ = try tell("consume anon stories --ref a1")
        _ = try tell("consume ada stories --ref b1")
        #expect(try tell("alias anon ada").status == 0)
        #expect(try tell("check anon stories --json").json["used"] == 2)
        #expect(try tell("alias ada ada").status == 1)
        #expect(try tell("unalias anon ada").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 1)
        #expect(try tell("unalias anon ada").status == 1)
    }

    @Test("timezone takes IANA names alone")
    func zones() throws {
        #expect(try tell("timezone ada Europe/Amsterdam").status == 0)
        let bad = try tell("timezone ada Mars/Olympus --json")
        #expect(bad.status == 3)
        #expect(try bad.error["code"] == "unknown_time_zone")
    }

    @Test("Overrides are refused in production and hold elsewhere")
    func overrides() throws {
        let refused = try tell("override set ada force_entitlement unlimited --json")
        #expect(refused.status == 1)
        #expect(try refused.error["code"] == "override_forbidden")
        #expect(
            try tell("override set ada force_entitlement unlimited --env sandbox").status == 0)
        #expect(try tell("check ada premiumVoices --env sandbox --json").json["reason"] == "debug")
        #expect(try tell("check ada premiumVoices").status == 1)
        #expect(try tell("override clear ada --env sandbox").status == 0)
        #expect(try tell("check ada premiumVoices --env sandbox").status == 1)
        #expect(try tell("override set ada magic --env sandbox").status == 3)
    }

    @Test("X-08 Environments do not mix")
    func environments() throws {
        #expect(try tell("consume ada stories --ref s1 --env sandbox").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 0)
        #expect(try tell("check ada stories --env sandbox --json").json["used"] == 1)
        #expect(try tell("export --env sandbox").output.split(separator: "\n").count == 1)
        #expect(try tell("history ada").output == "nothing is known of ada\n")
    }

    @Test("void and amend find their event by position and by source and key")
    func corrections() throws {
        _ = try bench.run(
            ["import", "-", "--ledger", ledger],
            input: Lines.usage("s1") + Lines.usage("s2") + Lines.refund("zoe"))
        #expect(try tell("void 2 --reason twice").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 1)
        #expect(try tell("void native/s2 --reason twice --ticket 77").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 0)
        #expect(try tell("history ada").output.has("void"))
        _ = try bench.run(["import", "-", "--ledger", ledger], input: Lines.usage("s3"))
        #expect(try tell("amend native/s3 --set amount=2").status == 0)
        #expect(try tell("check ada stories --json").json["used"] == 2)
        let signed = try tell("amend @4 --set product=x --json")
        #expect(signed.status == 1)
        #expect(try signed.error["code"] == "signed_fact_unamendable")
        for unknown in ["native/s9", "@99", "0", "-1"] {
            let result = try tell("void \(unknown) --json")
            #expect(result.status == 1, "\(unknown): \(result.errors)")
            #expect(try result.error["code"] == "target_unknown")
        }
        #expect(try tell("void nothing").status == 3)
        #expect(try tell("amend @4").status == 2)
        #expect(try tell("void native/s1 --env sandbox").status == 1)
        for target in ["1", "ledger/catalog/1"] {
            let catalog = try tell("void \(target) --json")
            #expect(catalog.status == 1)
            #expect(try catalog.error["code"] == "catalog_uncorrectable")
            #expect(catalog.errors.has("catalog rollback"))
        }
    }

    @Test("An expected version that is not the stream's is refused")
    func expectedVersion() throws {
        _ = try tell("consume ada stories --ref s1")
        let stale = try tell("consume ada stories --ref s2 --expected-version 0 --json")
        #expect(stale.status == 1)
        #expect(try stale.error["code"] == "version_conflict")
        #expect(try tell("consume ada stories --ref s2 --expected-version 1").status == 0)
    }

    @Test("tick writes what is due, once")
    func tick() throws {
        let magical = try bench.begin(Workbench.magical, name: "m.sqlite")
        _ = try bench.run(["import", "-", "--ledger", magical], input: Lines.usage("s1"))
        let line = "tick --at 2026-02-01T00:00:00Z --json --ledger \(magical)"
        #expect(try bench.run(line).json["appended"] == 1)
        #expect(try bench.run(line).json["appended"] == 0)
        #expect(try bench.run("tick --at 2026-02-01 --ledger \(magical)").status == 3)
        let ahead = try bench.run("tick --at 9000-02-01T00:00:00Z --json --ledger \(magical)")
        #expect(ahead.status == 3)
        #expect(try ahead.error["code"] == "out_of_bounds")
    }

    @Test("A screen that is shown twice is recorded twice; a key makes it one")
    func recordedTwice() throws {
        func count() throws -> Int { try bench.events().count { $0["type"] == "paywall.shown" } }
        #expect(try tell("record paywall.shown ada").status == 0)
        let first = try bench.events().last?["occurred_at"]?.integer
        while try bench.events().last?["occurred_at"]?.integer == first {
            #expect(try tell("record paywall.shown ada").status == 0)
        }
        #expect(try count() == 2)
        for _ in 0..<2 { #expect(try tell("record paywall.shown ada --key p1").status == 0) }
        #expect(try count() == 3)
        for _ in 0..<2 {
            #expect(try tell("record paywall.shown ada --at 2026-01-01T00:00:00Z").status == 0)
        }
        #expect(try count() == 4)
    }

    @Test("Words, names and ends that mean nothing are bad input; signed facts need a ticket")
    func refusals() throws {
        func code(_ line: String, status: Int32 = 3) throws -> String? {
            let result = try tell(line + " --json")
            #expect(result.status == status, "\(line): \(result.status)")
            return try result.error["code"]?.text
        }
        #expect(try code("grant issue ada --entitlement unlimited --kind whim") == "unknown_word")
        let force = "override set ada force_entitlement"
        #expect(try code("\(force) unlimted --env sandbox") == "unknown_name")
        #expect(
            try code("\(force) unlimited --env sandbox --expires 2026-01-01T00:00:00Z")
                == "override_ended")
        #expect(try code("pin ada rex") == "no_gauge")
        #expect(try code("consume ada stories -9223372036854775808") == "amount_out_of_bounds")
        _ = try tell("consume ada stories --ref s1")
        _ = try tell("reverse ada s1")
        #expect(try code("consume ada stories --ref s1", status: 1) == "usage_reversed")
        _ = try bench.run(["import", "-", "--ledger", ledger], input: Lines.purchase("zoe"))
        let void = "void apple/buy-zoe"
        #expect(try code("\(void) --reason fraud") == "signed_fact_needs_ticket")
        #expect(try tell("\(void) --reason fraud --ticket T --actor kim").status == 0)
        let debug = try bench.run(
            [
                "record", "debug.override_set", "ada", "--key", "d", "--trust", "imported",
                "--ledger", ledger, "--json", "--data",
                #"{"kind":"force_entitlement","value":"unlimited","expires_at":4102444800000,"actor":"x"}"#,
            ])
        #expect(debug.status == 3)
        #expect(try debug.error["code"] == "forbidden")
    }
}
