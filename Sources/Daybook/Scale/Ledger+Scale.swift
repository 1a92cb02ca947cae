/// Folding a ledger elsewhere (docs/scaling.md).
extension Ledger {
    /// The ledger as it is known at a moment, case by case.
    /// - Parameter moment: Without a time of its own questions are asked as of what is known.
    /// - Complexity: O(*s* log *s*) in the ledger's customers and lineages.
    public func caseExport(_ moment: Moment = .now) throws -> CaseExport {
        try CaseExport(core: core, moment)
    }

    /// Where the ledger has the offsets of zones from.
    package var zoneTables: ZoneTables { core.zoneTables }
}
