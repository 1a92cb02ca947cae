import Foundation
import Testing

@Suite("Command line: who may read what is written")
struct PrivateFileTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func bits(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("A sandbox key is its owner's alone, and one that others can read is warned of")
    func keys() throws {
        let made = try bench.run("sandbox create sandbox.key --root sandbox.pem")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try bits("sandbox.key") == 0o600)
        let sign = "sandbox sign --authority sandbox.key --bundle-id com.dozzi.app --product p"
        let quiet = try bench.run(sign)
        #expect(quiet.status == 0)
        #expect(quiet.errors.isEmpty)
        try #require(chmod(bench.path("sandbox.key"), 0o640) == 0)
        let warned = try bench.run(sign)
        #expect(warned.status == 0)
        #expect(warned.errors.has("others may read it; chmod 600 sandbox.key"))
    }

    @Test("A file with a ledger's history is readable only by users who can read the ledger")
    func outputs() throws {
        let ledger = try bench.begin()
        #expect(try bench.run("consume ada stories --ref s1 --ledger \(ledger)").status == 0)
        try #require(chmod(ledger, 0o600) == 0)
        try bench.write("no event\n", to: "bad.ndjson")
        for (line, name) in [
            ("export -o all.ndjson", "all.ndjson"), ("capture ada -o a.daybundle", "a.daybundle"),
            ("replay --digests digests.json", "digests.json"),
            ("import bad.ndjson --keep-going", "bad.ndjson.refused"),
            ("capture ada --as-test lost", "events/dozzi/lost.ndjson"),
        ] {
            let result = try bench.run("\(line) --ledger \(ledger)")
            #expect([0, 3].contains(result.status), "\(line): \(result.errors)")
            #expect(try bits(name) == 0o600, "\(name)")
        }
        #expect(try bits("snapshots/dozzi/lost.json") == 0o600)
        // A file that was there keeps its permissions.
        try #require(chmod(bench.path("all.ndjson"), 0o644) == 0)
        #expect(try bench.run("export -o all.ndjson --ledger \(ledger)").status == 0)
        #expect(try bits("all.ndjson") == 0o644)
    }
}
