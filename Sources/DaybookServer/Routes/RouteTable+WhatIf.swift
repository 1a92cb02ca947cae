package import Daybook
package import DaybookAudit
import DaybookEvents
package import DaybookIngest

/// What would be so under other rules, or had other things happened.
extension RouteTable {
    /// How many customers a report names at most.
    static let whatIfTopMax: Int64 = 1_000

    static let whatIfRoutes: [Route] = [
        .atLength(
            "/v1/{app}/what-if", "whatIf",
            "Replay all customers under another catalog, or with other events. Changes nothing.",
            for: readers, method: .post, whatIf)
    ]

    private static func whatIf(_ call: inout RouteCall) throws -> Route.LongQuestion {
        var what = WhatIf(
            catalog: try call.fields.text("catalog").map { Array($0.utf8) },
            effectiveAt: try call.fields.instant("effective_at"))
        let environment = try call.fields.environment()
        let subject = try call.fields.text("subject")
        what.drops = try (call.fields.texts("drop") ?? []).map { try target($0, environment) }
        try what.insert(
            lines: try lines(try call.fields.array("insert") ?? []), app: try call.app.name)
        let moment = try call.fields.moment()
        let top = try call.fields.integer("top") ?? 10
        try Problem.require(
            (0...whatIfTopMax).contains(top), "bad_limit",
            "\"top\" is \(top): write 0 to \(whatIfTopMax)")
        try Problem.require(
            !what.isEmpty, "missing_member",
            "say what would be different: \"catalog\", \"drop\" or \"insert\"")
        return { [what] ledger in
            .json(
                try ledger.whatIf(
                    what, of: subject, environment: environment, moment: moment,
                    topCountMax: Int(top), workers: 1
                ).json)
        }
    }

    /// - Parameter text: `SOURCE/KEY`, such as `native/story-1`.
    private static func target(
        _ text: String, _ environment: Environment
    ) throws -> WhatIf.Target {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        try Problem.require(
            parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty, "bad_target",
            "\(ShownText.escaped(text)) names no event; write SOURCE/KEY such as native/story-1")
        return WhatIf.Target(
            source: String(parts[0]), key: String(parts[1]), environment: environment)
    }

    private static func lines(_ events: [JSONValue]) throws -> [UInt8] {
        try events.reduce(into: []) { lines, event in
            guard let object = event.object else {
                throw Problem.unprocessable(
                    "wrong_kind", "\"insert\" has \(event.kindName) where an event should be")
            }
            lines += object.canonicalBytes + [0x0A]
        }
    }
}

extension LedgerError {
    /// - Throws: `LedgerError.badInput` where lines could not be read.
    package static func refuse(_ problems: [LineProblem]) throws {
        if !problems.isEmpty { throw badInput(problems.map(InputProblem.init)) }
    }
}

extension WhatIf {
    /// Reads the events to be put in.
    /// - Parameters:
    ///   - lines: One event each, as for recording.
    ///   - max: How many there may be; by default as many as one request may record.
    /// - Throws: `LedgerError.badInput` with the place in the lines, `Problem` for too many.
    package mutating func insert(
        lines: [UInt8], app: String, atMost max: Int = RouteTable.linesMax
    ) throws {
        var reader = NDJSONReader(app: app)
        let (read, problems) = reader.read(lines)
        try LedgerError.refuse(problems)
        try Problem.require(
            read.count <= max, "too_many_events",
            "\(read.count) events are more than a request may have: \(max)")
        inserts = read.map(\.draft)
        insertLines = read.map(\.line)
    }
}
