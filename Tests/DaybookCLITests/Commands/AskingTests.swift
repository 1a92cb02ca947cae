import DaybookEvents
import Foundation
import Testing

@Suite("Command line: asking")
struct AskingTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func ask(_ line: String) throws -> ToolResult {
        try bench.run(line + " --ledger \(ledger)")
    }

    @Test("check answers yes with 0 and no with 1, in words and numbers")
    func check() throws {
        let yes = try ask("check ada stories")
        #expect(yes.status == 0)
        #expect(yes.output.has("✓ yes  ada may use stories: free quota"))
        #expect(yes.output.has("0 of 2 used, 2 remaining"))
        let no = try ask("check ada premiumVoices")
        #expect(no.status == 1)
        #expect(no.output.has("✗ no   ada may not use premiumVoices: not entitled"))
        #expect(no.output.has("Unlimited Stories, 2.99 USD"))
        #expect(no.errors.isEmpty)
    }

    @Test("check --json has every member that a screen needs, and nothing goes missing")
    func checkJSON() throws {
        let json = try ask("check ada stories --json").json
        for name in [
            "allowed", "reason", "limit", "used", "remaining", "reserved", "period",
            "enforcement", "feature", "meter", "source", "candidates", "paywall", "display",
            "flags", "as_of",
        ] { #expect(json[name] != nil, "\(name) is missing") }
        #expect(json["allowed"] == true)
        #expect(json["reason"] == "free_quota")
        #expect(json["limit"] == 2)
        #expect(json["used"] == 0)
        #expect(json["remaining"] == 2)
        #expect(json.at("period.resets_at") == .null)
        #expect(json.at("display.text") == "2 stories remaining")
        #expect(json.at("display.key") == "status.free")
        #expect(json.at("display.text_plural_safe") == "2 stories remaining")
        #expect(json.at("as_of.position") == 1)
        #expect(json.at("as_of.catalog") == 1)
        #expect(json.at("as_of.open") == true)
        let feature = try ask("check ada premiumVoices --json").json
        #expect(feature["limit"] == .null)
        #expect(feature.at("period.resets_at") == .null)
        #expect(feature.at("paywall.context") == "featureRestricted")
    }

    @Test("A month's meter says when it begins anew")
    func resets() throws {
        let other = try bench.begin(Workbench.magical, name: "m.sqlite")
        let json = try bench.run(
            "check ada stories --at 2026-03-05T12:00:00Z --json --ledger \(other)"
        ).json
        #expect(json.at("period.name") == "2026-03")
        #expect(json.at("period.start") == 1_772_323_200_000)
        #expect(json.at("period.resets_at") == 1_775_001_600_000)
    }

    @Test("status --json has entitlements and meters by name, unlimited as null")
    func statusJSON() throws {
        _ = try bench.run(["import", "-", "--ledger", ledger], input: Lines.purchase("ada"))
        let json = try ask("status ada --json").json
        #expect(json.at("entitlements.unlimited.active") == true)
        #expect(json.at("entitlements.unlimited.state") == "lifetime")
        #expect(json.at("entitlements.unlimited.source") == "lifetime:apple:2000-ada")
        #expect(json.at("entitlements.unlimited.starts_at") == 1_767_312_000_000)
        #expect(json.at("entitlements.unlimited.expires_at") == .null)
        #expect(json.at("entitlements.unlimited.will_renew") == false)
        #expect(json.at("meters.stories.limit") == .null)
        #expect(json.at("meters.stories.remaining") == .null)
        #expect(json.at("meters.stories.used") == 0)
        #expect(json.at("display.text") == "Unlimited stories")
        #expect(json["status"] == "unlimited")
        for name in ["profiles", "ads", "warnings", "intro_eligible", "as_of"] {
            #expect(json[name] != nil, "\(name) is missing")
        }
    }

    @Test("catalog products --json has what an upgrade screen shows, in the language asked for")
    func products() throws {
        let other = try bench.begin(
            Workbench.magical.replacing("magical-stories", with: "ollie"), name: "o.sqlite")
        let json = try bench.run("catalog products --json --locale en --ledger \(other)").json
        #expect(json.at("paywalls.default.products")?.array?.first == "com.ollie.premium.perdog")
        #expect(json.at("paywalls.default.slots.title") == "Your free period is over")
        let benefits = json.at("paywalls.default.benefits")?.array ?? []
        #expect(benefits.allSatisfy { $0.object?["title"]?.text?.isEmpty == false })
        let dozzi = try ask("catalog products --json").json
        #expect(dozzi.at("metadata.platform") == "ios")
        let magical = try bench.begin(Workbench.magical, name: "m.sqlite")
        let sold = try bench.run("catalog products --json --ledger \(magical)").json
        let first = sold["products"]?.array?.first?.object
        #expect(first?["features"]?.array?.first == "Unlimited story generation")
    }

    @Test("X-03 What was known before a refund is still the answer to what was known then")
    func knownAt() throws {
        let lines = Lines.purchase("ada") + Lines.refund("ada")
        _ = try bench.run(["import", "-", "--ledger", ledger], input: lines)
        #expect(try ask("check ada premiumVoices").status == 1)
        #expect(try ask("check ada premiumVoices --known-at @2").status == 0)
        #expect(try ask("check ada premiumVoices --at 2026-01-02T12:00:00Z").status == 0)
        #expect(try ask("check ada premiumVoices --at 1767441600000").status == 1)
        let json = try ask("check ada premiumVoices --known-at @2 --json").json
        #expect(json.at("as_of.position") == 2)
        #expect(json.at("as_of.open") == false)
    }

    @Test("Texts come in the language that is asked for")
    func locale() throws {
        let other = try bench.begin(Workbench.ollie, name: "o.sqlite")
        _ = try bench.run("profile create ada rex --kind puppy --ledger \(other)")
        let dutch = try bench.run("status ada --locale nl-NL --json --ledger \(other)").json
        #expect(dutch.at("display.text") == "Gratis (nog 21 dagen)")
        #expect(dutch["profiles"]?.array?.count == 1)
    }

    @Test("history tells a customer's days in order, and JSON keeps the events whole")
    func history() throws {
        _ = try bench.run(
            ["import", "-", "--ledger", ledger],
            input: Lines.refund("ada") + Lines.purchase("ada") + Lines.usage("s1"))
        let text = try ask("history ada").output
        let order = ["story created", "purchase completed", "purchase refunded"]
        let places = order.compactMap { text.range(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        let events = try #require(try ask("history ada --json").json["events"]?.array)
        #expect(events.count == 3)
        #expect(events.first?.object?["label"] == "story created")
        #expect(events.first?.object?["late"] != nil)
        #expect(try ask("history nobody").output == "nothing is known of nobody\n")
        func types(_ options: String) throws -> [JSONValue?] {
            try #require(try ask("history ada --json \(options)").json["events"]?.array)
                .map { $0.object?["type"] }
        }
        #expect(
            try types("--newest-first")
                == ["purchase.refunded", "purchase.completed", "usage.recorded"])
        #expect(try types("--newest-first --limit 1") == ["purchase.refunded"])
        #expect(try types("--limit 1") == ["usage.recorded"])
        let times = events.compactMap { $0.object?["occurred_at"]?.integer }
        // The beginning is in it, the end is not.
        #expect(
            try types("--from \(times[1]) --until \(times[2])") == ["purchase.completed"])
        #expect(try types("--from \(times[2] + 1)") == [])
        #expect(
            try ask("history ada --from \(times[2] + 1)").output
                == "nothing is known of ada in that time\n")
        #expect(try ask("history ada --from \(times[1]) --until \(times[1])").status == 2)
    }

    @Test("funnel lists the catalog's funnels, counts one, and refuses an unknown one")
    func funnel() throws {
        #expect(try ask("funnel").output.has("paywall_to_purchase"))
        for (index, type) in ["paywall.shown", "checkout.started"].enumerated() {
            let recorded = try ask(
                "record \(type) ada --key k\(index) --at \(1_767_225_600_000 + index)")
            #expect(recorded.status == 0, "\(recorded.errors)")
        }
        let steps = try #require(
            try ask("funnel paywall_to_purchase --json").json["steps"]?.array)
        #expect(steps.map { $0.object?["count"]?.integer } == [1, 1, 0])
        #expect(steps[1].object?["of_first_permille"] == 1000)
        let later = try ask("funnel paywall_to_purchase --from 2026-02-01T00:00:00Z")
        #expect(later.output.has("no customer took the first step"))
        let unknown = try ask("funnel paywall --json")
        #expect(unknown.status == 3)
        #expect(try unknown.error["code"] == "unknown_name")
    }

    @Test("OL-08 status without --profile tells every dog's status, and whose the first word is")
    func severalDogs() throws {
        let ollie = try bench.begin(Workbench.ollie, name: "dogs.sqlite")
        for dog in ["rex", "bella"] {
            let made = try bench.run("profile create ada \(dog) --kind puppy --ledger \(ollie)")
            #expect(made.status == 0, "\(made.errors)")
        }
        let given = try bench.run(
            "grant issue ada --entitlement premium --profile bella --ledger \(ollie)")
        #expect(given.status == 0, "\(given.errors)")
        let json = try bench.run("status ada --json --ledger \(ollie)").json
        #expect(json["profile"] == .null)
        #expect(json["status"] == "premium")
        #expect(json["status_profile"] == "bella")
        #expect(json.at("entitlements.premium.active") == false)
        let dogs = try #require(json["profiles"]?.array).compactMap(\.object)
        #expect(dogs.map { $0["profile"] } == ["rex", "bella"])
        #expect(dogs.map { $0["status"] } == ["free", "premium"])
        #expect(dogs.map { $0.at("display.text") } == ["Gratis (nog 21 dagen)", "Premium"])
        #expect(dogs.map { $0.at("entitlements.premium.active") } == [false, true])
        let text = try bench.run("status ada --ledger \(ollie)").output
        #expect(text.has("ada · premium (bella)"))
        #expect(text.has("“Gratis (nog 21 dagen)”"))
        let one = try bench.run("status ada --profile rex --json --ledger \(ollie)").json
        #expect(one["profile"] == "rex")
        #expect(one["status_profile"] == "rex")
        #expect(one["status"] == "free")
    }
}
