import Foundation
import Testing

/// The walks of ARCHITECTURE.md, held to the code.
@Suite("Walks")
struct WalkTests {
    /// One line of a walk.
    struct Stop {
        var line: Int
        var depth: Int
        var type: String
        var function: String
        var path: String
    }

    /// Targets from the lowest to the highest; within one the folders as `FolderOrderTests` has them.
    private static let targets = [
        "DaybookEvents", "DaybookStore", "DaybookDomain", "DaybookIngest", "Daybook",
        "DaybookAudit", "DaybookCLI",
    ]

    private static let sources: [String: String] = Dictionary(
        uniqueKeysWithValues: TidyTests.sources().map { path, _, lines in
            (
                path,
                String(decoding: SwiftCode(lines.joined(separator: "\n")).bytes, as: UTF8.self)
            )
        })

    /// Each walk is told by the stops that stand together.
    static func stops(in text: String) -> [Stop] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            let pattern = /^( *)- `([A-Za-z]+)\.([a-zA-Z]+)` \(`([^`]+\.swift)`\)/
            guard let found = line.prefixMatch(of: pattern) else { return nil }
            return Stop(
                line: index + 1, depth: found.1.count / 2, type: String(found.2),
                function: String(found.3), path: String(found.4))
        }
    }

    /// A pattern whose word boundaries are those of Swift's names: by Unicode's, `core.store` is one word.
    private static func regex(_ pattern: String) -> Regex<AnyRegexOutput>? {
        // A pattern that cannot be read finds nothing, and every line of the walks would be told.
        (try? Regex(pattern))?.wordBoundaryKind(.simple)
    }

    /// The bodies of all functions of a name, or of all initializers, in a source without texts.
    static func bodies(of function: String, in source: String) -> [Substring] {
        let pattern = function == "init" ? #"\binit[?<(]"# : #"\bfunc \#(function)[<(]"#
        guard let expression = regex(pattern) else { return [] }
        return source.matches(of: expression).compactMap { match in
            body(from: match.range.lowerBound, in: source)
        }
    }

    /// What stands between the braces that follow a signature.
    private static func body(from start: String.Index, in source: String) -> Substring? {
        var parentheses = 0
        var braces = 0
        var first: String.Index?
        for index in source[start...].indices {
            switch source[index] {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{":
                // A closure among the default values of a parameter is no body.
                if first == nil, parentheses > 0 { continue }
                braces += 1
                if first == nil { first = index }
            case "}":
                if first == nil { continue }
                braces -= 1
                if braces == 0, let first { return source[first...index] }
            default: continue
            }
        }
        return nil
    }

    /// Whether a body calls a function; an initializer is called by its type's name.
    static func calls(_ body: Substring, _ stop: Stop) -> Bool {
        let name = stop.function == "init" ? stop.type : stop.function
        guard let expression = regex(#"\b\#(name)(\(| \{|\?\()"#) else { return false }
        return body.firstMatch(of: expression) != nil
    }

    /// How high a file stands: its target, then its folder.
    private static func height(_ path: String) -> (Int, Int)? {
        let target = String(path.prefix { $0 != "/" })
        let rest = path.dropFirst(target.count + 1)
        let folder = rest.lastIndex(of: "/").map { String(rest[..<$0]) } ?? "."
        guard let first = targets.firstIndex(of: target),
            let second = FolderOrderTests.orders[target]?.firstIndex(of: folder)
        else { return nil }
        return (first, second)
    }

    private static func problems(of stops: [Stop]) -> [String] {
        var found: [String] = []
        var above: [Stop] = []
        for stop in stops {
            let place = "ARCHITECTURE.md:\(stop.line)"
            above.removeAll { $0.depth >= stop.depth }
            defer { above.append(stop) }
            guard let source = sources[stop.path] else {
                found.append("\(place): there is no file \(stop.path)")
                continue
            }
            let declared = #"\b(struct|class|enum|extension|actor) \#(stop.type)\b"#
            if let expression = regex(declared), source.firstMatch(of: expression) == nil {
                found.append("\(place): \(stop.path) has nothing of \(stop.type)")
            }
            if bodies(of: stop.function, in: source).isEmpty {
                found.append("\(place): \(stop.path) has no function \(stop.function)")
            }
            guard stop.depth > 0 else { continue }
            guard let caller = above.last, caller.depth == stop.depth - 1 else {
                found.append("\(place): a step is missing above \(stop.function)")
                continue
            }
            let callers = bodies(of: caller.function, in: sources[caller.path] ?? "")
            if !callers.contains(where: { calls($0, stop) }) {
                found.append("\(place): \(caller.function) does not call \(stop.function)")
            }
            guard let high = height(caller.path), let low = height(stop.path) else {
                found.append("\(place): \(stop.path) has no place in the order of folders")
                continue
            }
            if low > high { found.append("\(place): the call goes up to \(stop.path)") }
        }
        return found
    }

    @Test("Every line of the walks is a function that the line above calls, downward")
    func walks() throws {
        let text = try String(
            contentsOf: TidyTests.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        let stops = Self.stops(in: text)
        #expect(stops.count > 40)
        for function in ["consume", "ingest", "check"] {
            #expect(stops.contains { $0.type == "Ledger" && $0.function == function })
        }
        for problem in Self.problems(of: stops) { Issue.record("\(problem)") }
    }

    @Test(
        "A line that the code does not bear out is found",
        arguments: [
            // No such file, no such type, no such function, no such call, a call that goes up, a gap.
            "- `Ledger.consume` (`Daybook/Nowhere.swift`)",
            "- `Nothing.consume` (`Daybook/Ledger.swift`)",
            "- `Ledger.vanish` (`Daybook/Ledger.swift`)",
            "- `Ledger.consume` (`Daybook/Ledger.swift`)\n  - `LedgerState.apply` (`Daybook/State/LedgerState.swift`)",
            "- `Journey.commit` (`Daybook/Commit/Journey.swift`)\n  - `Ledger.publish` (`Daybook/Ledger.swift`)",
            "- `Ledger.consume` (`Daybook/Ledger.swift`)\n    - `Ledger.perform` (`Daybook/Ledger.swift`)",
        ])
    func broken(text: String) {
        let stops = Self.stops(in: text)
        #expect(!stops.isEmpty)
        #expect(!Self.problems(of: stops).isEmpty)
    }
}
