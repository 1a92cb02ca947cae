import DaybookDomain
import Testing

@Suite("Names in a catalog")
struct CatalogNameMistakesTests {
    static let base = """
        app: x
        groups: [Premium]
        products:
          p1: { kind: consumable, entitlements: [premium] }
        entitlements:
          premium: [export]
        features:
          export: { aliases: [exportCSV] }
        meters:
          stories: { kind: counter, limit: 2 }
        freePeriods:
          weeks: { profileKind: puppy, duration: P21D }
        copy:
          title: Title
        paywalls:
          sheet: {}

        """

    /// A line appended to the base (line 17), the column of the wrong name, what is said of it.
    static let unknown: [(yaml: String, column: Int, says: String, near: String)] = [
        (
            "funnels: { f: { window: P1D, steps: [{ event: a.b }, { event: paywall.show }] } }",
            63, "no event type `paywall.show`", "`paywall.shown`"
        ),
        (
            "statuses: [{ status: a, when: { entitled: premum } }, { status: b, when: otherwise }]",
            43, "no entitlement named `premum`", "`premium`"
        ),
        (
            "ads: { a: { format: banner, hiddenBy: exprot } }",
            39, "no feature named `exprot`", "`export`"
        ),
        (
            "ads: { a: { format: banner, hiddenBy: exportCSV } }",
            39, "no feature named `exportCSV`", "It is an alias; write `export`"
        ),
        (
            "statuses: [{ status: a, when: { meterExhausted: storys } }, "
                + "{ status: b, when: otherwise }]",
            49, "no meter named `storys`", "`stories`"
        ),
        (
            "statuses: [{ status: a, when: { freePeriodActive: week } }, "
                + "{ status: b, when: otherwise }]",
            51, "no free period named `week`", "`weeks`"
        ),
        (
            "statuses: [{ status: a, when: otherwise, text: titel }]",
            48, "no copy key named `titel`", "`title`"
        ),
        (
            "statuses: [{ status: a, when: { entitled: premium, product: p2 } }, "
                + "{ status: b, when: otherwise }]",
            61, "no product named `p2`", "`p1`"
        ),
        (
            "statuses: [{ status: a, when: { state: premium, states: [expird] } }, "
                + "{ status: b, when: otherwise }]",
            58, "no state `expird`", "`expired`"
        ),
        ("policyes: {}", 1, "`policyes` is unknown", "`policies`"),
        ("policies: { clock: sever }", 20, "`sever` is no clock", "`server`"),
    ]

    @Test("An unknown name is refused with the nearest known one", arguments: unknown.indices)
    func unknownName(_ index: Int) {
        let row = Self.unknown[index]
        #expect(CatalogSamples.problems(Self.base).isEmpty)
        expect(
            Mistake(row.yaml, 17, row.column, [row.says, row.near], Self.base + row.yaml),
            events: ["a.b", "paywall.shown"])
    }

    @Test("A name that resembles nothing gets no suggestion")
    func noSuggestion() {
        let yaml = Self.base + "ads: { a: { format: banner, hiddenBy: zebra } }"
        let problem = CatalogSamples.problems(yaml).first
        #expect(problem?.remedy == "Define it, or remove the use.")
    }

    @Test("Event types are only checked against a given vocabulary")
    func vocabulary() {
        let yaml = "app: x\nfunnels: { f: { window: P1D, steps: [{ event: a }, { event: b }] } }"
        #expect(CatalogSamples.problems(yaml).isEmpty)
        #expect(CatalogSamples.problems(yaml, events: ["a"]).count == 1)
        #expect(CatalogSamples.problems(yaml, events: ["a", "b"]).isEmpty)
    }

    static let clashes: [Mistake] = [
        Mistake(
            "an alias that is a name", 4, 18, ["alias `a` is itself the name"],
            "app: x\nfeatures:\n  a: { isFree: true }\n  b: { aliases: [a], isFree: true }"),
        Mistake(
            "an alias of two meters", 4, 41, ["alias `z` belongs to `a`"],
            "app: x\nmeters:\n  a: { kind: gauge, limit: 1, aliases: [z] }\n"
                + "  b: { kind: gauge, limit: 1, aliases: [z] }"),
        Mistake(
            "a group twice", 2, 13, ["group `A` stands twice"], "app: x\ngroups: [A, A]"),
        Mistake(
            "a feature twice in a list", 4, 22, ["`a` stands twice in this list"],
            "app: x\nfeatures: { a: {} }\nfreePeriods:\n"
                + "  w: { features: [a, a], profileKind: p, duration: P1D }"),
        Mistake(
            "a feature called star", 3, 8, ["cannot be called `*`"],
            "app: x\nfeatures:\n  \"*\": { isFree: true }"),
        Mistake(
            "an empty name", 3, 3, ["has 0 bytes"], "app: x\nfeatures:\n  \"\": { isFree: true }"),
        Mistake(
            "a reserved meter", 3, 14, ["`preview.`"],
            "app: x\nmeters:\n  preview.x: { kind: counter, limit: 1 }"),
    ]

    @Test("Names that clash are refused", arguments: clashes)
    func clash(_ row: Mistake) {
        expect(row)
    }
}
