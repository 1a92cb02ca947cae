import DaybookDomain
import Testing

@Suite("The structure of a catalog")
struct CatalogStructureTests {
    static let published = """
        app: x
        groups: [A, B]
        products:
          sub: { kind: autoRenewable, group: A, period: P1M }
          pack: { kind: consumable }
        features:
          f: { previewUses: 1 }
        meters:
          count: { kind: counter, period: calendarMonth, limit: 3 }
          dogs: { kind: gauge, limit: 1, countsProfiles: puppy }
        freePeriods:
          weeks: { profileKind: puppy, duration: P21D }
        """

    private func structure(_ yaml: String) throws -> CatalogStructure {
        CatalogStructure(try CatalogReader.read(Array(yaml.utf8)))
    }

    /// What is replaced in the published document, by what, and the start of each conflict.
    static let changes: [(old: String, new: String, conflicts: [String])] = [
        ("limit: 3", "limit: 5", []),
        ("P21D", "P14D", []),
        ("period: P1M", "period: P1Y", []),
        ("features:\n  f: { previewUses: 1 }\n", "", []),
        ("freePeriods:\n  weeks: { profileKind: puppy, duration: P21D }", "", []),
        ("meters:\n", "meters:\n  more: { kind: window, limit: 30 }\n", []),
        ("products:\n", "products:\n  more: { kind: consumable }\n", []),
        (
            "calendarMonth", "lifetime",
            [
                "The meter `count` has been published with the period calendarMonth and has life"
            ]
        ),
        (
            "kind: counter, period: calendarMonth", "kind: gauge",
            [
                "The meter `count` has been published with the kind counter and has gauge now",
                "The meter `count` has been published with the period calendarMonth",
            ]
        ),
        (
            "countsProfiles: puppy", "countsProfiles: child",
            ["The meter `dogs` has been published with the profile kind puppy and has child now"]
        ),
        (
            ", countsProfiles: puppy", "",
            ["The meter `dogs` has been published with the profile kind puppy and has none now"]
        ),
        (
            "  count: { kind: counter, period: calendarMonth, limit: 3 }\n", "",
            ["The meter `count` has been published and is missing now; keep it"]
        ),
        (
            "  pack: { kind: consumable }\n", "",
            ["The product `pack` has been published and is missing now; keep it"]
        ),
        (
            "kind: consumable", "kind: nonConsumable",
            [
                "The product `pack` has been published with the kind consumable and has nonC"
            ]
        ),
        (
            "group: A", "group: B",
            ["The product `sub` has been published with the group A and has B now"]
        ),
        (
            "profileKind: puppy", "profileKind: child",
            ["The free period `weeks` has been published with the profile kind puppy and has child"]
        ),
    ]

    @Test(
        "Publishing may add names but not change or drop them (rule 8)", arguments: changes.indices)
    func change(_ index: Int) throws {
        let row = Self.changes[index]
        #expect(Self.published.contains(row.old))
        let old = try structure(Self.published)
        let new = try structure(Self.published.replacing(row.old, with: row.new))
        let found = old.conflicts(with: new)
        #expect(found.count == row.conflicts.count, "\(found)")
        for (sentence, start) in zip(found, row.conflicts) {
            #expect(sentence.hasPrefix(start))
        }
        #expect(old.conflicts(with: old).isEmpty)
    }

    @Test("A structure knows the gauges of a profile kind and the preview counters")
    func lookups() throws {
        let structure = try structure(Self.published)
        #expect(structure.gauges(countingProfiles: "puppy") == ["dogs"])
        #expect(structure.gauges(countingProfiles: "child").isEmpty)
        #expect(structure.meter("count")?.period == .calendarMonth)
        #expect(structure.meter("preview.f")?.kind == .counter)
        #expect(structure.meter("preview.f")?.period == .lifetime)
        #expect(structure.meter("nothing") == nil)
        #expect(structure.products["sub"]?.group == "A")
    }
}
