import DaybookEvents
import Foundation
import Testing

/// Catalogs made of StoreKit configuration files.
@Suite("Command line: catalog import")
struct CatalogImportTests {
    private static let nuzzle = "events/nuzzle/Nuzzle.storekit"
    let bench: Workbench

    init() throws {
        bench = try Workbench()
        _ = try bench.shell("true")
    }

    @Test("The catalog goes to the standard output, and what is not in it to the standard error")
    func output() throws {
        let result = try bench.run("catalog import \(Self.nuzzle)")
        #expect(result.status == 0)
        #expect(result.output.has("\napp: nuzzle\n"))
        #expect(result.output.has("      regular: 5.99 USD\n"))
        #expect(result.output.has("    introOffer: { kind: freeTrial, duration: P1W }\n"))
        #expect(
            result.errors.has(
                "not carried over: subscriptionGroups[0].subscriptions[1].codeOffers[0]: "))
        #expect(result.errors.has("format 4.0, 2 products, 2 not carried over"))
        try bench.write(result.output, to: "piped.yaml")
        #expect(try bench.run("catalog check piped.yaml").status == 0)
    }

    @Test("With --output the file is the same catalog, and nothing stands on the standard output")
    func file() throws {
        let plain = try bench.run("catalog import \(Self.nuzzle) --app other")
        let result = try bench.run("catalog import \(Self.nuzzle) --app other --output o.yaml")
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(try bench.text(of: "o.yaml") == plain.output)
        #expect(plain.output.has("\napp: other\n"))
        let made = try bench.run("init o.sqlite --catalog o.yaml")
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test("With --json one line has it all")
    func json() throws {
        let json = try bench.run("catalog import \(Self.nuzzle) --json").json
        #expect(json["format"] == "4.0")
        #expect(json["products"] == 2)
        #expect(json["catalog"]?.text?.has("app: nuzzle") == true)
        #expect(json["output"] == .null)
        let paths = json["not_carried"]?.array?.map { $0.object?["path"]?.text }
        #expect(
            paths == ["settings._timeRate", "subscriptionGroups[0].subscriptions[1].codeOffers[0]"])
        let written = try bench.run("catalog import \(Self.nuzzle) --json --output o.yaml").json
        #expect(written["catalog"] == .null)
        #expect(written["output"] == "o.yaml")
        #expect(bench.exists("o.yaml"))
    }

    @Test("A file that is no configuration, and an app that is no name, are bad input")
    func refusals() throws {
        try bench.write("{\n \"version\": 3\n}", to: "bad.storekit")
        let bad = try bench.run("catalog import bad.storekit --output o.yaml --json")
        #expect(bad.status == 3)
        #expect(bad.output.isEmpty)
        #expect(bad.errors.has("bad.storekit:2:2: version: must be an object"))
        #expect(try bad.error["code"] == "wrong_type")
        #expect(try bad.error["problems"]?.array?.first?.object?["member"] == "version")
        #expect(!bench.exists("o.yaml"))
        let app = try bench.run(["catalog", "import", Self.nuzzle, "--app", "My App", "--json"])
        #expect(app.status == 3)
        #expect(try app.error["problems"]?.array?.first?.object?["member"] == "app")
        #expect(try bench.run("catalog import nowhere.storekit").status == 4)
    }

    @Test("The app is named after the file where no name is given")
    func names() throws {
        let source = "\(Workbench.repository)/\(Self.nuzzle)"
        let text = try String(contentsOfFile: source, encoding: .utf8)
        for (file, app) in [("My Lamp (Test).storekit", "my-lamp-test"), ("ß.storekit", "app")] {
            try bench.write(text, to: file)
            let result = try bench.run(["catalog", "import", file])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.has("\napp: \(app)\n"))
        }
    }
}
