import DaybookDomain
import DaybookEvents
import Testing

@Suite("Event names, experiments and promotions of a catalog")
struct CatalogEventNamesTests {
    private static let head = "app: x\nmeters:\n  rides: { kind: counter, limit: 3 }\n"

    private static func names(_ names: String) -> String { head + "eventNames:\n  " + names }

    static let mistakes: [Mistake] = [
        Mistake(
            "a name with a dot", 5, 15, ["has a dot", "without one"],
            names("ride.begun: { event: app.launched }")),
        Mistake(
            "an unknown event type", 5, 19, ["no event type `app.lanched`", "`app.launched`"],
            names("begun: { event: app.lanched }")),
        Mistake(
            "a purchase", 5, 18, ["cannot stand for `purchase.completed`", "comes from the store"],
            names("paid: { event: purchase.completed }")),
        Mistake(
            "a grant", 5, 18, ["cannot stand for `grant.issued`"],
            names("gift: { event: grant.issued }")),
        Mistake(
            "an alias", 5, 18, ["cannot stand for `subject.aliased`"],
            names("join: { event: subject.aliased }")),
        Mistake(
            "neither event nor milestone", 5, 3, ["`event` is missing", "a milestone"],
            names("begun:")),
        Mistake(
            "members without an event", 5, 43, ["only `event` has members"],
            names("began: { milestone: purchased, members: { a: ref } }")),
        Mistake(
            "an unknown milestone", 5, 23, ["`bought` is no milestone", "trialStarted"],
            names("began: { milestone: bought }")),
        Mistake(
            "a milestone twice", 6, 19, ["`purchased` is called `a` already"],
            names("a: { milestone: purchased }\n  b: { milestone: purchased }")),
        Mistake(
            "a member that the event has not", 5, 49,
            ["`usage.recorded` has no member `metre`", "`meter`"],
            names("ride: { event: usage.recorded, data: { metre: rides } }")),
        Mistake(
            "a meter that is not there", 5, 49, ["no meter named `ride`", "`rides`"],
            names("ride: { event: usage.recorded, data: { meter: ride } }")),
        Mistake(
            "text for a number", 5, 54, ["`amount` must be an integer"],
            names("ride: { event: usage.recorded, defaults: { amount: one } }")),
        Mistake(
            "a list for a value", 5, 49, ["`meter` is no value"],
            names("ride: { event: usage.recorded, data: { meter: [rides] } }")),
        Mistake(
            "two names of one member", 5, 56, ["`ref` has two names"],
            names("ride: { event: usage.recorded, members: { a: ref, b: ref } }")),
        Mistake(
            "no units", 5, 54, ["0 units are no usage"],
            names("ride: { event: usage.recorded, defaults: { amount: 0 } }")),
        Mistake(
            "a variant without a weight", 3, 18, ["`a` is missing", "`a: 1`"],
            "app: x\nexperiments:\n  e: { variants: { a: , b: 1, c: 1 } }\n"),
        Mistake(
            "one variant", 3, 18, ["`e` shares out nothing"],
            "app: x\nexperiments:\n  e: { variants: { a: 1 } }\n"),
        Mistake(
            "weights of nothing", 3, 18, ["`e` shares out nothing"],
            "app: x\nexperiments:\n  e: { variants: { a: 0, b: 0 } }\n"),
        Mistake(
            "half a weight", 3, 29, ["`b` is no whole number", "0 to 1000000"],
            "app: x\nexperiments:\n  e: { variants: { a: 1, b: 0.5 } }\n"),
        Mistake(
            "a promotion without codes", 3, 6, ["`codes` is missing"],
            "app: x\npromotions:\n  p: { entitlement: e }\nentitlements: { e: [f] }\n"
                + "features: { f: {} }\n"),
        Mistake(
            "too many codes", 3, 31, ["no whole number", "1 to 100000"],
            "app: x\npromotions:\n  p: { entitlement: e, codes: 100001 }\n"
                + "entitlements: { e: [f] }\nfeatures: { f: {} }\n"),
        Mistake(
            "a promotion with a slash", 3, 8, ["`a/b` is no name of a promotion"],
            "app: x\npromotions:\n  a/b: { entitlement: e, codes: 1 }\n"
                + "entitlements: { e: [f] }\nfeatures: { f: {} }\n"),
        Mistake(
            "a promotion of nothing", 3, 21, ["no entitlement named `g`"],
            "app: x\npromotions:\n  p: { entitlement: g, codes: 1 }\n"
                + "entitlements: { e: [f] }\nfeatures: { f: {} }\n"),
        Mistake(
            "no variants", 3, 6, ["`variants` is missing"],
            "app: x\nexperiments:\n  e: {}\n"),
    ]

    @Test("Each mistake is told with its place and what to write", arguments: mistakes)
    func mistake(_ mistake: Mistake) {
        let problems = CatalogSamples.problems(mistake.yaml, events: ["app.launched"])
        #expect(problems.map(\.line) == [mistake.line], "\(problems)")
        #expect(problems.first?.column == mistake.column, "\(problems)")
        let text = problems.map { "\($0.sentence) \($0.remedy)" }.joined()
        for part in mistake.says { #expect(text.contains(part), "\(text)") }
    }

    private func catalog(_ yaml: String) throws -> Catalog {
        try CatalogReader.read(Array(yaml.utf8))
    }

    @Test("Values keep their kinds: text, numbers also below zero, flags, quoted text")
    func values() throws {
        let yaml = Self.names(
            """
            left: { event: usage.recorded, data: { meter: rides, amount: -1 }, members: { z: ref, a: covered_by } }
              loud: { event: paywall.dismissed, data: { paywall: "1" } }
            """)
        let names = try catalog(yaml).eventNames
        #expect(names.map(\.name) == ["left", "loud"])
        #expect(names[0].data == ["meter": "rides", "amount": -1])
        #expect(
            names[0].members == [
                .init(theirs: "a", ours: "covered_by"), .init(theirs: "z", ours: "ref"),
            ])
        #expect(names[1].data == ["paywall": "1"])
    }

    @Test("On the way out the name that says most is taken, of equals the first")
    func fit() throws {
        let names = try catalog(
            Self.names(
                """
                any: { event: usage.recorded }
                  ride: { event: usage.recorded, data: { meter: rides } }
                  paid: { event: usage.recorded, data: { meter: rides }, defaults: { covered_by: pro } }
                  other: { event: usage.recorded, data: { meter: rides } }
                  begun: { event: checkout.completed, milestone: purchased }
                """)
        ).eventNames
        #expect(names.name(of: .usageRecorded, ["meter": "rides", "covered_by": "x"]) == "paid")
        #expect(names.name(of: .usageRecorded, ["meter": "rides"]) == "ride")
        #expect(names.name(of: .usageRecorded, ["meter": "walks"]) == "any")
        #expect(names.name(of: .checkoutCompleted, [:]) == nil)
        #expect(names.name(of: .appLaunched, [:]) == nil)
    }

    @Test("A published name keeps its meaning; only a rollback may take it away")
    func structure() throws {
        let old = CatalogStructure(
            try catalog(Self.names("ride: { event: usage.recorded, data: { meter: rides } }")))
        let changed = [
            "ride: { event: app.launched }", "ride: { event: usage.recorded }",
            "ride: { event: usage.recorded, defaults: { meter: rides } }",
            "ride: { event: usage.recorded, data: { meter: rides }, members: { id: ref } }",
            "ride: { milestone: purchased }",
        ]
        for names in changed {
            let found = old.conflicts(with: CatalogStructure(try catalog(Self.names(names))))
            #expect(found.map { $0.hasPrefix("The event name `ride` has been pub") } == [true])
        }
        let gone = CatalogStructure(try catalog(Self.head))
        #expect(old.conflicts(with: gone).count == 1)
        #expect(old.conflicts(with: gone, allowsMissing: true).isEmpty)
        #expect(gone.conflicts(with: old).isEmpty)
    }

    @Test("Variants are shared out by their weights, each experiment for itself, for ever alike")
    func variants() throws {
        let price = Experiment(
            name: "price",
            variants: [
                .init(name: "a", weight: 7), .init(name: "never", weight: 0),
                .init(name: "b", weight: 3),
            ])
        var other = price
        other.name = "copy"
        var counts: [String: Int] = [:]
        var both = 0
        for index in 0..<10_000 {
            let variant = price.variant(for: "customer-\(index)")
            counts[variant, default: 0] += 1
            if variant == "b", other.variant(for: "customer-\(index)") == "b" { both += 1 }
        }
        // Four standard deviations: 7,000 ± 184; of the 3,000 with b another 900 ± 115.
        #expect(abs((counts["a"] ?? 0) - 7_000) < 184)
        #expect(counts["never"] == nil)
        #expect(abs(both - 900) < 115)
        // By hand: printf 'experiment/price/ada' | sha256sum, its first 16 digits modulo 10.
        #expect(price.variant(for: "ada") == "b")
        #expect(price.variant(for: "bob") == "a")
        let id = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
        #expect(price.variant(for: id) == price.variant(for: id.lowercased()))
    }
}
