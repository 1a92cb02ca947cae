import DaybookDomain
import Foundation
import Testing

@Suite("The catalog guide")
struct CatalogGuideTests {
    @Test("The complete example in docs/catalog.md is a catalog without doubts")
    func example() throws {
        let file = CatalogSamples.root.appending(path: "docs/catalog.md")
        let guide = try String(contentsOf: file, encoding: .utf8)
        let blocks = guide.components(separatedBy: "```yaml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        let example = try #require(blocks.first { $0.hasPrefix("app:") })
        let read = try CatalogReader.readWithWarnings(Array(example.utf8))
        #expect(read.warnings.isEmpty, "\(read.warnings)")
        #expect(read.catalog.app == "lighthouse")
        #expect(read.catalog.products.count == 2)
        #expect(read.catalog.meters.count == 2)
        #expect(read.catalog.funnels.count == 1)
    }

    @Test("Every catalog of docs/catalog-examples.md can be read; a tool runs their commands")
    func examples() throws {
        let file = CatalogSamples.root.appending(path: "docs/catalog-examples.md")
        let guide = try String(contentsOf: file, encoding: .utf8)
        let blocks = guide.components(separatedBy: "```yaml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(blocks.count == 14)
        var kinds: Set<String> = []
        for block in blocks {
            let catalog = try CatalogReader.read(Array(block.utf8))
            kinds.formUnion(catalog.meters.map { "\($0.kind)" })
            kinds.formUnion(catalog.products.map { "\($0.kind)" })
        }
        #expect(
            kinds == [
                "counter", "gauge", "window", "reading", "consumable", "nonConsumable",
                "nonRenewing", "autoRenewable",
            ])
    }

    @Test("The guide names every key that the reader knows")
    func keys() throws {
        let file = CatalogSamples.root.appending(path: "docs/catalog.md")
        let guide = try String(contentsOf: file, encoding: .utf8)
        // A wrong key in each kind of map makes the reader list the keys it knows.
        let yaml = """
            app: x
            zzzzzzzzzzzzzz: 1
            groups: [g]
            products:
              p: { kind: autoRenewable, group: g, period: P1M, zzzzzzzzzzzzzzzzzzz: 1 }
            entitlements: { e: { zzzzzzzzzzzzzz: 1 } }
            features: { f: { zzzzzzzzzzzzzzzzz: 1 } }
            meters: { m: { kind: counter, limit: 1, zzzzzzzzzzzzzzzzzzzzzzzzzz: 1 } }
            freePeriods: { w: { profileKind: p, duration: P1D, zzzzzzzzzzzzzzz: 1 } }
            ads: { a: { format: banner, zzzzzzzzzzzzzzzzz: 1 } }
            paywalls: { c: { zzzzzzzzzzzzzzzz: 1 } }
            statuses: [{ status: s, when: otherwise, zzzzzzzzzzzzzzzz: 1 }]
            kpis: { k: { metric: m, atLeast: 1, zzzzzzzzzzzzzzzz: 1 } }
            funnels: { f: { window: P1D, steps: [{ event: a }, { event: b }], zzzzzzzzzzzzz: 1 } }
            eventNames: { n: { event: app.launched, zzzzzzzzzzzzzz: 1 } }
            experiments: { x: { variants: { a: 1, b: 1 }, zzzzzzzzzzzzzzzz: 1 } }
            promotions: { r: { entitlement: e, codes: 1, zzzzzzzzzzzzzzzzzzzz: 1 } }
            calls: { n: { does: showStatus, zzzzzzzzzzzzzzzz: 1 } }
            policies: { zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1 }
            """
        let remedies = CatalogSamples.problems(yaml).map(\.remedy)
        #expect(remedies.count == 16)
        for remedy in remedies {
            #expect(remedy.hasPrefix("Known keys: "))
            for key in remedy.dropFirst("Known keys: ".count).dropLast().split(separator: ", ") {
                #expect(guide.contains("`\(key)`"), "docs/catalog.md does not explain \(key)")
            }
        }
    }
}
