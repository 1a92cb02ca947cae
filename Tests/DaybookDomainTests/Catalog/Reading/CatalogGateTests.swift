import DaybookDomain
import Testing

@Suite("Gates in a catalog")
struct CatalogGateTests {
    static let circles: [Mistake] = [
        Mistake(
            "a meter behind the feature that it opens", 5, 43,
            ["`m` requires `f`, whose quota leads back to `m`", "Remove `requires`"],
            """
            app: x
            features:
              f: { meter: m }
            meters:
              m: { kind: counter, limit: 1, requires: f }
            """),
        Mistake(
            "two meters behind each other's features", 6, 43, ["`m` requires `f`", "back to `m`"],
            """
            app: x
            features:
              f: { meter: n }
              g: { meter: m }
            meters:
              m: { kind: counter, limit: 1, requires: f }
              n: { kind: counter, limit: 1, requires: g }
            """),
    ]

    @Test("A meter that waits for itself is one mistake, with its place", arguments: circles)
    func circle(_ mistake: Mistake) { expect(mistake) }

    @Test("A way that only leads into a circle is no second mistake")
    func tail() {
        let problems = CatalogSamples.problems(
            """
            app: x
            features:
              e: { meter: m }
              f: { meter: m }
            meters:
              l: { kind: counter, limit: 1, requires: e }
              m: { kind: counter, limit: 1, requires: f }
            """)
        #expect(problems.map(\.line) == [7])
    }

    @Test("A meter may require a feature that another meter opens")
    func noCircle() {
        let problems = CatalogSamples.problems(
            """
            app: x
            features:
              f: { meter: n }
              g: { previewUses: 2 }
            meters:
              m: { kind: counter, limit: 1, requires: f }
              n: { kind: counter, limit: 1, requires: g }
            """)
        #expect(problems.isEmpty)
    }
}
