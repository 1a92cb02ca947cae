import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Ollie: what it says, in Dutch")
struct OllieCopyTests {
    let ollie: OllieFixture
    let start = OllieFixture.start
    let end = OllieFixture.end
    let day = OllieFixture.day

    init() async throws {
        ollie = try await OllieFixture()
        try await ollie.dog("rex")
    }

    private func attributes(_ status: Status) -> [String: String] {
        Dictionary(uniqueKeysWithValues: status.attributes.map { ($0.slot, $0.key) })
    }

    @Test("OL-15 The purchase is thanked for with the name left to the phone")
    func thanks() throws {
        #expect(
            try ollie.text("purchase.succeeded")
                == "Gelukt! Je kunt nu onbeperkt blijven loggen voor [puppyname].")
        let slots = try #require(
            try ollie.ledger.catalogs().newest?.catalog.paywall(context: "default")?.slots)
        #expect(slots.contains(CopySlot(slot: "purchased", key: "purchase.succeeded")))
    }

    @Test(
        "OL-16 The banner counts the days, quietly, and leads to the upgrade",
        arguments: [(7, "Nog 14 dagen gratis"), (20, "Nog 1 dagen gratis")] as [(Int64, String)])
    func banner(_ days: Int64, _ text: String) throws {
        let shown = attributes(try ollie.status("rex", at: start + days * day))
        #expect(shown["banner"] == text)
        #expect(shown["target"] == "upgrade")
        #expect(shown["prominence"] == "subtle")
    }

    @Test("OL-17 When the period is over the document's words are shown")
    func over() throws {
        let before = attributes(try ollie.status("rex", at: end - 1))
        #expect(before["title"] == nil)
        #expect(before["banner"] == "Nog 1 dagen gratis")
        let shown = attributes(try ollie.status("rex", at: end))
        #expect(shown["title"] == "Je gratis periode is voorbij")
        #expect(
            shown["text"] == """
                De eerste 3 weken met een puppy zijn het zwaarst — daarom was Ollie gratis. \
                Wil je blijven loggen? Dat kan voor eenmalig €19.
                """)
        #expect(shown["cta"] == "Doorgaan met Ollie — €19")
        #expect(shown["restore"] == "Herstel aankoop")
        #expect(shown["banner"] == nil)
    }

    @Test("OL-18 The settings name the status, with buttons only while there is something to buy")
    func settings() async throws {
        let free = try ollie.status("rex", at: start + 7 * day)
        #expect(free.display?.text == "Gratis (nog 14 dagen)")
        let lastDay = try ollie.status("rex", at: start + 20 * day)
        #expect(lastDay.display?.text == "Gratis (nog 1 dagen)")
        #expect(lastDay.display?.pluralSafeText == "Gratis (nog 1 dag)")
        let over = try ollie.status("rex", at: end)
        #expect(over.display?.text == "Gratis periode voorbij")
        try await ollie.buy("3000", for: "rex")
        let premium = try ollie.status("rex")
        #expect(premium.display?.text == "Premium")
        for (status, hasButtons) in [(free, true), (over, true), (premium, false)] {
            let shown = attributes(status)
            #expect((shown["cta"] != nil) == hasButtons)
            #expect((shown["restore"] != nil) == hasButtons)
        }
        #expect(attributes(premium)["banner"] == nil)
        #expect(try ollie.text("settings.title") == "Ollie Premium")
        #expect(try ollie.text("settings.statusLabel") == "Status")
    }

    @Test("OL-19 The key message and the App Store's message are the document's")
    func messages() throws {
        #expect(
            try ollie.text("message.key") == """
                De eerste weken met een nieuwe puppy zijn overweldigend. \
                Daarom is Ollie gratis als je het het hardst nodig hebt.
                """)
        #expect(
            try ollie.text("message.appStore") == """
                Ollie is gratis voor de eerste 3 weken — precies wanneer je het het hardst nodig hebt. \
                Daarna eenmalig €19 om te blijven loggen.
                """)
    }

    @Test(
        "OL-20 A catalog that says trial or proefperiode is refused",
        arguments: ["trial", "Proefperiode"])
    func lint(_ word: String) async throws {
        let changed = try LedgerFixture.catalog(
            "ollie", replacing: ["nl: Gratis periode voorbij": "nl: \(word) voorbij"])
        await #expect {
            try await ollie.ledger.publish(CatalogPublication(document: Array(changed.utf8)))
        } throws: { error in
            guard case .badInput(let problems)? = error as? LedgerError else { return false }
            return problems.count == 1 && problems[0].reason.contains("`\(word.lowercased())`")
        }
        #expect(try ollie.ledger.catalogs().versions.count == 1)
    }

    @Test("After a free period its own text is told, whichever the catalog has first")
    func otherPeriod() async throws {
        let other = """
            freePeriods:
              first_days:
                profileKind: kitten
                duration: P3D
                features: [logEvent]
                expiredText: upgrade.cta
            """
        let ollie = try await OllieFixture(replacing: ["freePeriods:": other])
        try await ollie.dog("rex")
        try await ollie.fixture.perform(
            .createProfile(profile: "tom", kind: "kitten", freeStartedAt: nil))
        let rex = try ollie.check("logEvent", "rex", at: OllieFixture.end)
        #expect(rex.title?.text == "Je gratis periode is voorbij")
        let tom = try ollie.check("logEvent", "tom", at: OllieFixture.end)
        #expect(tom.reason == .freePeriodExpired && tom.title == nil)
        #expect(tom.display?.key == "upgrade.cta")
    }

    @Test("A meter that a free period opens tells its own numbers")
    func meter() async throws {
        let meter = """
            meters:
              logs:
                kind: counter
                period: lifetime
                limit: 3
                requires: logEvent
                statusText: upgrade.cta

            freePeriods:
            """
        let ollie = try await OllieFixture(replacing: ["freePeriods:": meter])
        try await ollie.dog("rex")
        let decision = try ollie.check("logs", "rex", at: OllieFixture.end - 1)
        #expect(decision.allowed && decision.usage?.remaining == 3)
        #expect(decision.source?.kind == .freePeriod)
        #expect(decision.display?.key == "upgrade.cta")
    }

    @Test("OL-30 The greyed-out button knows why: the check carries title and products")
    func button() throws {
        let before = try ollie.check("logEvent", "rex", at: end - 1)
        #expect(before.allowed)
        #expect(before.title == nil && before.paywall == nil)
        #expect(before.display?.key == "freePeriod.active")
        #expect(before.display?.text == "Nog 1 dagen gratis")
        let decision = try ollie.check("logEvent", "rex", at: end)
        #expect(!decision.allowed)
        #expect(decision.display?.key == "freePeriod.expired.text")
        #expect(decision.title?.text == "Je gratis periode is voorbij")
        #expect(decision.paywall?.context == "featureRestricted")
        #expect(decision.paywall?.feature == "logEvent")
        #expect(
            decision.paywall?.products
                == [OllieFixture.product, OllieFixture.product + ".2", OllieFixture.product + ".3"])
        let english = try ollie.ledger.check(
            CheckQuestion("logEvent", profile: "rex", locale: "en"), for: "ada",
            moment: Moment(at: end)
        ).decision
        #expect(english.title?.text == "Your free period is over")
    }

    @Test(
        "OL-08 Without a profile the status says which dog it is about, and every dog has its own")
    func severalDogs() async throws {
        let fixture = try await OllieFixture()
        let (start, end, day) = (OllieFixture.start, OllieFixture.end, OllieFixture.day)
        #expect(try fixture.fixture.status().statusProfile == nil)
        try await fixture.dog("rex")
        try await fixture.dog("bella", at: start + 5 * day)
        // Both are free: the first of them.
        var status = try fixture.fixture.status(at: start + 6 * day)
        #expect((status.status, status.profile, status.statusProfile) == ("free", nil, "rex"))
        #expect(status.display?.text == "Gratis (nog 15 dagen)")
        // The first one's days are over, the other one's are not.
        status = try fixture.fixture.status(at: end + day)
        #expect((status.status, status.statusProfile) == ("free", "bella"))
        #expect(status.display?.text == "Gratis (nog 4 dagen)")
        #expect(status.profiles.map(\.status) == ["freePeriodExpired", "free"])
        fixture.fixture.clock.now = end + day
        try await fixture.buy("3000", for: "rex")
        status = try fixture.fixture.status()
        #expect((status.status, status.statusProfile) == ("premium", "rex"))
        #expect(status.profiles.map(\.status) == ["premium", "free"])
        #expect(status.profiles.map { $0.entitlements.first?.isActive } == [true, false])
        #expect(status.profiles.map { $0.attributes.isEmpty } == [true, false])
        // One dog's purchase is not the customer's: what the customer as a whole has stays closed.
        #expect(status.entitlements.map(\.isActive) == [false])
        for card in status.profiles {
            let own = try fixture.status(card.profile.profile)
            #expect(own.status == card.status)
            #expect(own.display == card.display)
            #expect(own.attributes == card.attributes)
            #expect(own.entitlements == card.entitlements)
            #expect(own.statusProfile == card.profile.profile)
        }
        try await fixture.fixture.perform(.deleteProfile(profile: "rex"))
        status = try fixture.fixture.status()
        #expect((status.status, status.profile, status.statusProfile) == ("free", "bella", "bella"))
        #expect(status.profiles.map(\.status) == [nil, "free"])
    }

    @Test("A grant to the customer as a whole is the customer's status, whatever dogs there are")
    func wholeCustomer() async throws {
        let fixture = try await OllieFixture()
        try await fixture.dog("rex")
        try await fixture.dog("bella")
        try await fixture.fixture.perform(
            .issueGrant(.init(id: "g1", target: .entitlement("premium"), reason: "promo")))
        let status = try fixture.fixture.status()
        #expect((status.status, status.statusProfile) == ("premium", nil))
        #expect(status.entitlements.map(\.isActive) == [true])
        #expect(status.profiles.map(\.status) == ["premium", "premium"])
    }
}
