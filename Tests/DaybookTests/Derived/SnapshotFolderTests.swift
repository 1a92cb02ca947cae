import Daybook
import DaybookFixtures
import Foundation
import Testing

/// One ledger has one folder of derived files, whatever its path is written like.
struct SnapshotFolderTests {
    @Test("However a path is written, snapshots lie beside the folder events")
    func oneFolder() async throws {
        let files = FileManager.default
        let root = files.temporaryDirectory.appending(path: "daybook-\(UUID())").path
        try files.createDirectory(atPath: root + "/events", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: root) }
        try files.createSymbolicLink(atPath: root + "/inside", withDestinationPath: "events")
        try files.createSymbolicLink(
            atPath: root + "/x.sqlite", withDestinationPath: "events/x.sqlite")
        let made = try await Ledger.create(
            at: root + "/inside/x.sqlite", catalog: try Fixtures.catalogDocument("dozzi"),
            clock: { Fixtures.now })
        let path = try made.snapshot().path
        try made.close()
        #expect(path.hasSuffix("/snapshots/x.sqlite/000000000001.daysnap"))
        for way in [
            "/events/x.sqlite", "/inside/x.sqlite", "/x.sqlite", "/events/../events/x.sqlite",
        ] {
            let ledger = try Ledger.open(root + way, clock: { Fixtures.now })
            #expect(try ledger.snapshot().path == path)
            try ledger.close()
        }
        #expect(
            try files.contentsOfDirectory(atPath: root).sorted() == [
                "events", "inside", "snapshots", "x.sqlite",
            ])
    }
}
