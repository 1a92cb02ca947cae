import Foundation
import Testing

@Suite("Tidy")
struct TidyTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Which of our modules a target may import (ARCHITECTURE.md).
    static let allowed: [String: Set<String>] = [
        "CDaybook": [], "DaybookEvents": [], "DaybookDomain": ["DaybookEvents"],
        "DaybookIngest": ["DaybookEvents", "DaybookDomain"],
        "DaybookStore": ["CDaybook", "DaybookEvents"],
        "Daybook": [
            "CDaybook", "DaybookEvents", "DaybookDomain", "DaybookIngest", "DaybookStore",
        ],
        "DaybookAudit": [
            "Daybook", "DaybookEvents", "DaybookDomain", "DaybookIngest", "DaybookStore",
        ],
        "DaybookServer": [
            "Daybook", "DaybookAudit", "DaybookEvents", "DaybookDomain", "DaybookIngest",
            "DaybookStore",
        ],
        "DaybookDashboard": [
            "Daybook", "DaybookAudit", "DaybookServer", "DaybookEvents", "DaybookDomain",
            "DaybookIngest",
        ],
        "DaybookCLI": [
            "Daybook", "DaybookAudit", "DaybookServer", "DaybookDashboard", "DaybookEvents",
            "DaybookDomain",
            "DaybookIngest",
            "DaybookStore",
        ],
        "DaybookTesting": ["Daybook", "DaybookEvents", "DaybookDomain", "DaybookStore"],
        "DaybookSamples": [
            "Daybook", "DaybookDomain", "DaybookEvents", "DaybookStore", "DaybookFixtures",
        ],
        "DaybookFixtures": [
            "DaybookTesting", "Daybook", "DaybookAudit", "DaybookEvents", "DaybookDomain",
            "DaybookIngest",
            "DaybookStore",
        ],
    ]

    /// Where third-party modules may be imported (CONTRIBUTING.md); each has one place in which it is dealt with.
    static let places: [String: Set<String>] = [
        "ArgumentParser": ["DaybookCLI"], "CYaml": ["DaybookDomain"],
        "CDaybookFixtures": ["DaybookFixtures"], "CDaybookServer": ["DaybookServer"],
        "CDaybookDashboard": ["DaybookDashboard"], "Mustache": ["DaybookDashboard"],
        "CoreMetrics": ["DaybookServer"],
        "Crypto": ["DaybookEvents", "DaybookDomain", "DaybookIngest", "DaybookStore"],
        "GRDB": ["DaybookServer", "DaybookStore"], "GRDBSQLite": ["DaybookStore"],
        "HTTPTypes": ["DaybookServer", "DaybookDashboard"], "Hummingbird": ["DaybookServer"],
        "HummingbirdCore": ["DaybookServer"], "HummingbirdTLS": ["DaybookServer"],
        "NIOCertificateReloading": ["DaybookServer"], "NIOSSL": ["DaybookServer"],
        "JWTKit": ["DaybookServer"],
        "Logging": ["Daybook", "DaybookCLI", "DaybookServer", "DaybookStore"],
        "NIOCore": ["DaybookCLI", "DaybookServer"], "NIOHTTP1": ["DaybookServer"],
        "NIOHTTPTypes": ["DaybookServer"],
        "ServiceLifecycle": ["DaybookCLI", "DaybookServer"], "SwiftASN1": ["DaybookIngest"],
        "X509": ["DaybookIngest"], "Yams": ["DaybookDomain", "DaybookServer"],
    ]

    static func sources() -> [(path: String, target: String, lines: [Substring])] {
        files(in: "Sources")
    }

    /// The Swift files of `Sources` or `Tests`, with the target that each belongs to.
    static func files(in name: String) -> [File] { read[name] ?? [] }

    typealias File = (path: String, target: String, lines: [Substring])

    /// Read once for all tests.
    private static let read = ["Sources": reading("Sources"), "Tests": reading("Tests")]

    private static func reading(_ name: String) -> [File] {
        let folder = root.appending(path: name)
        let files = FileManager.default.enumerator(atPath: folder.path)
        var found: [File] = []
        while let path = files?.nextObject() as? String {
            // Documentation catalogs have snippets, which another test compiles.
            guard path.hasSuffix(".swift"), !path.contains(".docc/"),
                let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
            else { continue }
            let target = String(path.prefix { $0 != "/" })
            found.append(
                (path, target, text.split(separator: "\n", omittingEmptySubsequences: false)))
        }
        return found
    }

    /// The modules that a file imports, whatever access it gives to them.
    static func imports(of lines: [Substring]) -> [String] {
        lines.compactMap { line in
            guard line.contains("import "), !line.hasPrefix(" ") else { return nil }
            let words = line.split(separator: " ").map(String.init)
            guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
                words[..<index].allSatisfy({
                    ["public", "package", "internal"].contains($0) || $0.hasPrefix("@")
                })
            else { return nil }
            return words[index + 1]
        }
    }

    @Test("Arrows between targets run one way")
    func arrows() {
        let ours = Set(Self.allowed.keys)
        var count = 0
        for (path, target, lines) in Self.sources() {
            for module in Self.imports(of: lines) {
                guard ours.contains(module) else { continue }
                count += 1
                #expect(Self.allowed[target]?.contains(module) == true, "\(path) imports \(module)")
            }
        }
        #expect(count > 20)
    }

    @Test("Third-party modules are imported where they belong")
    func foreignModules() {
        let ours = Set(Self.allowed.keys)
        // What comes with the toolchain.
        let system: Set = [
            "Dispatch", "Foundation", "Glibc", "Synchronization", "Testing", "Darwin",
        ]
        var found: Set<String> = []
        for (path, target, lines) in Self.sources() {
            for module in Self.imports(of: lines) {
                guard !ours.contains(module), !system.contains(module) else { continue }
                found.insert(module)
                #expect(Self.places[module]?.contains(target) == true, "\(path) imports \(module)")
            }
        }
        #expect(found == Set(Self.places.keys))
    }

    @Test("The pure targets import nothing that has a clock, a lock or a disk")
    func purity() {
        for (path, target, lines) in Self.sources()
        where target == "DaybookEvents" || target == "DaybookDomain" {
            for module in ["Foundation", "Dispatch", "Synchronization", "GRDB", "Glibc", "Darwin"] {
                #expect(
                    !lines.contains { $0.hasSuffix("import \(module)") },
                    "\(path) imports \(module)")
            }
        }
    }

    @Test("Files have at most 400 lines and lines at most 120 columns")
    func sizes() {
        for (path, _, lines) in Self.sources() {
            #expect(lines.count <= 401, "\(path) has \(lines.count) lines")
            for (index, line) in lines.enumerated() where line.count > 120 && !line.contains("\"") {
                Issue.record("\(path):\(index + 1) has \(line.count) columns")
            }
        }
    }

    @Test("Functions have at most 70 lines")
    func functions() {
        for (path, _, lines) in Self.sources() {
            var start: (line: Int, indent: Int)?
            for (index, line) in lines.enumerated() {
                let indent = line.prefix { $0 == " " }.count
                let body = line.dropFirst(indent)
                if let open = start, body == "}", indent == open.indent {
                    #expect(
                        index - open.line <= 70,
                        "\(path):\(open.line + 1) is \(index - open.line) lines long")
                    start = nil
                } else if start == nil, body.contains("func ") || body.hasPrefix("init("),
                    body.hasSuffix("{")
                {
                    start = (index, indent)
                }
            }
        }
    }

    @Test("Names say what a thing is: no Manager, Helper, Utils, Service")
    func names() {
        let banned = ["Manager", "Helper", "Utils", "Utilities", "Service"]
        for (path, _, lines) in Self.sources() {
            for (index, line) in lines.enumerated() {
                for keyword in ["struct ", "class ", "enum ", "protocol ", "actor "] {
                    guard let range = line.range(of: keyword), !line.contains("//") else {
                        continue
                    }
                    let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber }
                    #expect(!banned.contains { name.hasSuffix($0) }, "\(path):\(index + 1) \(name)")
                }
            }
        }
    }

    @Test("Nothing is left for later: no TODO, no FIXME, no forced try")
    func leftovers() {
        for (path, _, lines) in Self.sources() {
            for (index, line) in lines.enumerated() {
                for word in ["TODO", "FIXME", "try!"] where line.contains(word) {
                    Issue.record("\(path):\(index + 1) has \(word)")
                }
            }
        }
    }
}
