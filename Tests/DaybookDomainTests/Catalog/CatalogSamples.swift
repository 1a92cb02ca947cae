import DaybookDomain
import Foundation
import Testing

/// Reading helpers for the catalog suites.
enum CatalogSamples {
    static let apps = ["dozzi", "magical-stories", "ollie", "fork-in-the-road", "nuzzle"]

    /// The root of the repository, found from this very file.
    static let root = URL(filePath: "\(#filePath)").deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func bytes(ofApp app: String) throws -> [UInt8] {
        let file = root.appending(path: "events/\(app)/catalog.yaml")
        return Array(try Data(contentsOf: file))
    }

    static func catalog(ofApp app: String) throws -> Catalog {
        try #require(catalogs[app]).get()
    }

    /// Read once for all tests.
    private static let catalogs = Dictionary(
        uniqueKeysWithValues: apps.map { app in
            (app, Result { try CatalogReader.read(bytes(ofApp: app)) })
        })

    /// All mistakes of a document; empty when it is a catalog.
    static func problems(_ yaml: String, events: Set<String> = []) -> [CatalogProblem] {
        problems(Array(yaml.utf8), events: events)
    }

    static func problems(_ bytes: [UInt8], events: Set<String> = []) -> [CatalogProblem] {
        do throws(CatalogProblems) {
            _ = try CatalogReader.read(bytes, knownEventTypes: events)
            return []
        } catch {
            return error.problems
        }
    }

    static func warnings(_ yaml: String) throws -> [CatalogProblem] {
        try CatalogReader.readWithWarnings(Array(yaml.utf8)).warnings
    }
}

/// One document with one mistake, and what has to be said about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    var what: String
    var line: Int
    var column: Int
    /// Parts of sentence and remedy.
    var says: [String]
    var yaml: String

    init(_ what: String, _ line: Int, _ column: Int, _ says: [String], _ yaml: String) {
        self.what = what
        self.line = line
        self.column = column
        self.says = says
        self.yaml = yaml
    }

    var testDescription: String { what }
}

/// Checks that a document has exactly this mistake.
func expect(_ mistake: Mistake, events: Set<String> = []) {
    let problems = CatalogSamples.problems(mistake.yaml, events: events)
    #expect(problems.count == 1, "\(problems)")
    guard let problem = problems.first else { return }
    #expect(problem.line == mistake.line, "\(problem)")
    #expect(problem.column == mistake.column, "\(problem)")
    #expect(!problem.remedy.isEmpty)
    for part in mistake.says {
        #expect(problem.description.contains(part), "\(problem)")
    }
}
