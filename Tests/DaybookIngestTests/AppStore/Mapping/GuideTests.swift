import DaybookFixtures
import DaybookIngest
import Foundation
import Testing

@Suite("App Store: the guide")
struct GuideTests {
    @Test("The table of docs/app-store.md is the one that the code maps by")
    func table() throws {
        let file = Fixtures.root.appending(path: "docs/app-store.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let (begin, end) = ("<!-- table -->\n", "<!-- /table -->")
        let start = try #require(text.firstRange(of: begin)).upperBound
        let stop = try #require(text.firstRange(of: end)).lowerBound
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
            let made = text[..<start] + AppStoreGuide.table + text[stop...]
            try String(made).write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[start..<stop] == AppStoreGuide.table, "RECORD_GOLDEN=1 writes it anew")
    }
}
