import ArgumentParser
import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookServer

/// Everything replayed under other circumstances: `replay` with another catalog, without some events, or with more.
struct WhatIfOptions: ParsableArguments {
    @Option(
        help: .value(
            "time", "With --catalog: the time from which it is in force. Default: always."))
    var effective: String?

    @Option(
        help: .value(
            "event", "A what-if without this event: a position, or SOURCE/KEY. May be repeated."))
    var drop: [String] = []

    @Option(
        help: .value("file", "A what-if with these events added: a file of them, one per line."))
    var insert: String?

    @Option(
        help: .value(
            "subject", "With --catalog: try it upon this customer alone. Default: upon all."))
    var subject: String?

    @Option(help: .value("time", "With a what-if: answer as of this time. Default: now."))
    var at: String?

    @Option(help: .value("n", "With a what-if: how many of the most affected customers are named."))
    var top: Int?

    private static let topDefault = 10
    private static let topMax = 10_000

    /// - Parameter catalog: Whether another catalog is given.
    func isAsked(catalog: Bool) -> Bool { catalog || !drop.isEmpty || insert != nil }

    /// - Parameter isAsked: Whether there is a what-if that they go with.
    func validate(isAsked: Bool, catalog: Bool) throws {
        try ValidationError.check("--top", top, in: 0...Self.topMax)
        try require(effective == nil || catalog, "--effective goes with --catalog.")
        try require(
            isAsked,
            for: [("--at", at != nil), ("--top", top != nil), ("--subject", subject != nil)],
            "a what-if: --catalog, --drop or --insert.")
    }

    /// - Parameter catalog: The file of the other catalog.
    func run(
        _ ledger: Ledger, catalog: String?, environment: Environment, knownAt: String?,
        workers: Int?, _ output: OutputOptions
    ) throws {
        var what = WhatIf(effectiveAt: try InstantText.read(effective, "--effective"))
        what.catalog = try catalog.map { try CatalogFile.read($0).document }
        what.drops = try drop.map { try target($0, environment, ledger) }
        if let insert {
            try what.insert(lines: try InputFile(insert).all(), app: ledger.app, atMost: .max)
        }
        let moment = Moment(
            at: try InstantText.read(at, "--at"),
            knownAt: try InstantText.knowledge(knownAt, "--known-at"))
        let events = try ledger.head().position
        let report = try ProgressBar.during("what if") { bar in
            try ledger.whatIf(
                what, of: subject, environment: environment, moment: moment,
                topCountMax: top ?? Self.topDefault, workers: workers
            ) { done, total in bar.show(done, of: total, events: events) }
        }
        try output.show(report.json) { report.text($0) }
    }

    /// What is not there is no refusal here: the question is wrong.
    private func target(
        _ text: String, _ environment: Environment, _ ledger: Ledger
    ) throws -> WhatIf.Target {
        do {
            let target = try EventTarget.find(text, environment: environment, in: ledger)
            return WhatIf.Target(
                source: target.source, key: target.key, environment: target.environment)
        } catch var failure as Failure {
            failure.status = .badInput
            throw failure
        }
    }
}
