import Foundation
import Testing

/// A fold that is repaired without a new version makes every old snapshot wrong and valid (rule 22). So the digest of
/// each fold's source, comments and white space aside, stands beside its version in `snapshots/fold-versions.json`, and
/// the one may not change without the other.
@Suite("Fold versions")
struct FoldVersionTests {
    private static let domain = "Sources/DaybookDomain"

    /// What decides the bytes of each state: its folder's state, evolve and codec, the version it declares, and what
    /// lies below the folds for them alone.
    private static let folds: [(name: String, files: [String], versions: [String])] = [
        (
            "aggregates",
            [
                "Folding/CanonicalOrder.swift", "State/AggregateState.swift",
                "State/HeldLineage.swift",
            ],
            ["AggregateState"]
        ),
        (
            "entitlements", ["Folding/Stated.swift"] + parts(of: "Entitlements"),
            ["LineageState", "CustomerState"]
        ),
        ("usage", parts(of: "Usage"), ["UsageState"]),
        ("funnels", parts(of: "Funnels"), ["FunnelState"]),
    ]

    private static func parts(of fold: String) -> [String] {
        ["State", "Evolve", "Codec"].map { "Projections/\(fold)/\(fold)\($0).swift" }
    }

    private static func source(_ path: String) throws -> String {
        try String(contentsOf: TidyTests.root.appending(path: "\(domain)/\(path)"), encoding: .utf8)
    }

    /// FNV-1a of the code alone: comments and white space change no meaning.
    private static func digest(_ files: [String]) throws -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for file in files {
            for line in try source(file).split(separator: "\n") {
                let code = line.trimmingCharacters(in: .whitespaces)
                if code.hasPrefix("//") || code.isEmpty { continue }
                for byte in code.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
        }
        return String(hash, radix: 16)
    }

    /// The numbers behind `public static let version` in the files, in order.
    private static func versions(_ files: [String]) throws -> String {
        var found: [String] = []
        for file in files {
            for line in try source(file).split(separator: "\n")
            where line.contains("static let version: UInt16 = ") {
                found.append(
                    line.split(separator: "=").last?.trimmingCharacters(in: .whitespaces) ?? "")
            }
        }
        return found.joined(separator: ".")
    }

    @Test("Every file of a fold is watched")
    func complete() throws {
        let folder = TidyTests.root.appending(path: "\(Self.domain)/Projections")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let found = paths.filter { $0.hasSuffix(".swift") }.map { "Projections/\($0)" }
        let watched = Self.folds.flatMap(\.files).filter { $0.hasPrefix("Projections/") }
        #expect(found.sorted() == watched.sorted())
    }

    @Test("A fold's source changes only together with its version")
    func versionsFollowSources() throws {
        let file = TidyTests.root.appending(path: "snapshots/fold-versions.json")
        var current: [String: [String: String]] = [:]
        for fold in Self.folds {
            let versions = try Self.versions(fold.files)
            #expect(versions.split(separator: ".").count == fold.versions.count)
            current[fold.name] = ["version": versions, "source": try Self.digest(fold.files)]
        }
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(current).write(to: file)
        }
        let recorded = try JSONDecoder().decode(
            [String: [String: String]].self, from: try Data(contentsOf: file))
        for (name, fold) in current {
            #expect(
                recorded[name] == fold,
                "the fold \(name) changed: raise its version unless the states stay the same byte for byte, then record with RECORD_GOLDEN=1"
            )
        }
    }
}
