import ArgumentParser
import Daybook
import DaybookDomain

/// What publishing a catalog and going back to one have in common.
struct PublicationOptions: ParsableArguments {
    @Option(help: .value("time", "Time from which it takes effect. Default: now."))
    var effective: String?

    @Flag(help: "Allow a time in the past; the number of answers that change is shown first.")
    var retroactive = false

    @Flag(help: "Check everything, show how many answers would change, and write nothing.")
    var dryRun = false

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @OptionGroup var basic: BasicOptions

    /// The time at which it takes effect; `nil`: now.
    func effectiveAt() throws -> Int64? {
        try InstantText.read(effective, "--effective")
    }

    /// Shows what would change, then publishes; a dry run only shows it.
    /// - Parameters:
    ///   - done: The sentence of a version that is written now, or would be.
    ///   - already: The sentence where there is nothing to write.
    func perform(
        _ publication: CatalogPublication, done: @escaping (_ version: Int64) -> String,
        already: String
    ) async throws {
        if dryRun {
            let counted = try await basic.ledger.asking { try dryRun(publication, in: $0) }
            return try show(dry: counted, done(counted.version), already)
        }
        try await basic.ledger.writing { ledger in
            let counted = retroactive ? try dryRun(publication, in: ledger) : nil
            // Nothing is written before it is shown.
            if let counted, !basic.output.json { try Terminal.output.write(Self.sentence(counted)) }
            let receipt = try await ledger.publish(publication)
            let written = try version(of: receipt, publication, in: ledger)
            try show(receipt, written, counted, done(written), already, ledger)
        }
    }

    private func dryRun(
        _ publication: CatalogPublication, in ledger: Ledger
    ) throws -> PublicationDryRun {
        try ProgressBar.during("counting") { bar in
            try ledger.dryRun(publication) { count in
                bar.show(Int64(count), of: 0, note: "\(Words.grouped(count)) customers")
            }
        }
    }

    private func version(
        of receipt: Receipt, _ publication: CatalogPublication, in ledger: Ledger
    ) throws -> Int64 {
        if let version = publication.rollBackTo { return version }
        let versions = try ledger.catalogs().versions
        return versions.first { receipt.positions.contains($0.position) }?.version
            ?? versions.last { "catalog/\($0.version)" == receipt.key }?.version ?? 0
    }

    private func show(
        _ receipt: Receipt, _ version: Int64, _ found: PublicationDryRun?, _ done: String,
        _ already: String, _ ledger: Ledger
    ) throws {
        let isNew = !receipt.positions.isEmpty
        let more: JSONObject = [
            "place": .orNull(ledger.place(after: receipt)?.description), "dry_run": false,
        ]
        try basic.output.show(receipt.json(publishing: version, after: found).adding(more)) {
            "\($0.tick) \(isNew ? done : already)\n" + receipt.details($0)
        }
    }

    private func show(dry found: PublicationDryRun, _ done: String, _ already: String) throws {
        try basic.output.show(found.json.adding(["dry_run": true])) { _ in
            if found.isInForceAlready { return "\(already); nothing to do\n" }
            let scope = found.scope.name
            return Self.sentence(found)
                + "  a dry run: nothing is written; otherwise \(done), from \(Words.time(found.effectiveAt)) on, for \(scope)\n"
        }
    }

    /// How many answers change, and until when the catalog would rule.
    private static func sentence(_ found: PublicationDryRun) -> HumanText {
        let answers = Words.count(found.changedAnswers, "answer")
        let changed = Words.grouped(found.changedCustomers)
        let times = found.moments.map { Words.time($0) }.joined(separator: " and ")
        let customers = Words.count(found.customers, "customer")
        var text: HumanText =
            "  \(answers) of \(changed) of \(customers) would change, asked for \(times)\n"
        if let end = found.supersededAt {
            text += "  another catalog takes over at \(Words.time(end))\n"
        }
        return text
    }
}
