public import DaybookEvents

/// What is written for others: events as lines, and rows of tables.
extension Ledger {
    /// Writes events as canonical lines, in position order; catalogs carry their document inline.
    ///
    /// Under the app's names a line whose event the app calls otherwise has that type, and behind the event that told
    /// a store's fact first stand the lines that are derived from it: what they say is that of the facts as they are
    /// known now, their keys are the same in every export, and `derived_from` names the event. They are for analytics;
    /// an import keeps them as they are and skips them.
    /// - Parameters:
    ///   - position: Exclusive start.
    ///   - end: Inclusive end.
    ///   - subject: Only what `history` lists of this customer; `nil`: of all customers, and the ledger's own events.
    ///   - environment: `nil`: all of them.
    ///   - names: Types as they were recorded, or the app's own with the derived lines.
    ///   - format: CSV has the names of its columns first, and the data as JSON in one of them; the app's names are for
    ///     JSON.
    ///   - order: Which events a limit leaves, and in which order they are written; what an import takes is the oldest
    ///     first.
    ///   - body: Is given one line at a time, ended by LF; what it throws ends the export and is thrown.
    public func export(
        after position: Int64 = 0, through end: Int64 = .max, subject: String? = nil,
        environment: Environment? = nil, names: ExportNames = .daybook,
        format: TableRequest.Format = .ndjson, order: PageOrder = PageOrder(),
        _ body: ([UInt8]) throws -> Void
    ) throws {
        try Export(core: core).export(
            after: position, through: end, subject: subject, environment: environment, names: names,
            format: format, order: order, body)
    }

    /// Writes rows of transactions, subscription periods or customers as known now (docs/exports.md): those of whom
    /// something was recorded after the place that the request names, ascending by position.
    /// - Parameters:
    ///   - request: The table, how its rows are written, the environment, and the place after which rows are told.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The rows are the same.
    ///   - progress: Is told how many of how many customers and lineages were looked at.
    ///   - body: Is given lines with their newlines; of CSV the names of the columns first.
    /// - Returns: Where the next export goes on.
    /// - Throws: `LedgerError.badInput` for columns that the table does not have, `.historyReplaced` for a place of
    ///   another history, and what `progress` and `body` throw.
    /// - Complexity: O(*n*) in the customers and lineages, and in the events of those whose rows are written.
    @discardableResult
    public func export(
        _ request: TableRequest, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in },
        _ body: ([UInt8]) throws -> Void
    ) throws -> TableReceipt {
        try TableExport(core: core, workers: workers).export(request, progress: progress, body)
    }
}
