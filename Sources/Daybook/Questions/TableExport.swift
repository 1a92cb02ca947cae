import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes rows of transactions, subscription periods or customers (docs/exports.md).
///
/// After a place come the rows of all those about whom anything was recorded since that can change an answer
/// (`Restatements.concerned`), as they are now, and then those that are there no more.
struct TableExport {
    let core: LedgerCore
    private let workers: Int

    /// Subjects whose rows are in memory at one time.
    private static let batchCount = 4_096
    private static let turnCount = 64

    /// - Parameter workers: `nil`: as many as can run at once.
    init(core: LedgerCore, workers: Int? = nil) {
        self.core = core
        self.workers = max(1, workers ?? Parallel.processorCount)
    }

    private struct Candidate {
        /// Of the newest event of the customer, or of the lineage.
        var position: Int64
        var element: Element
    }

    fileprivate typealias Element = MetricsPass.Element

    /// - Parameter body: Is given lines with their newlines; of CSV the names of the columns first.
    func export(
        _ request: TableRequest, progress: @Sendable (Int, Int) throws -> Void,
        _ body: ([UInt8]) throws -> Void
    ) throws -> TableReceipt {
        guard let columns = request.table.columns(request.names) else {
            throw LedgerError.bad(
                "unknown_name",
                "only transactions have the columns of RevenueCat; leave them out for \(request.table.rawValue)"
            )
        }
        try LedgerError.require(
            request.after == nil || columns.contains(where: { $0.name == "is_deleted" }),
            "bad_range",
            "the columns of RevenueCat have no place for rows that are gone; export everything, or leave the columns out"
        )
        try core.refresh()
        try core.readKeys()
        return try core.translating {
            if let asked = request.after { try Places(core: core).confirm(asked) }
            // Facts say when they begin and end, so a row changes with what is recorded and not with time.
            let look = try MetricsLook(core, Moment(at: EventBounds.timeMax))
            let place = try Places(core: core).place(at: look.cut)
            let after = request.after?.position ?? 0
            let concerned = try concerned(request, look, after: after)
            let candidates = try candidates(request, look, concerned)
            let format = TableFormat(format: request.format, columns: columns)
            if let header = format.header { try CallerError.giving(header, to: body) }
            var receipt = TableReceipt(rows: 0, subjects: candidates.count, place: place)
            var deletion = try DeletedRows(core, request, look, columns, concerned)
            var start = 0
            while start < candidates.count {
                let batch = Array(
                    candidates[start..<min(start + Self.batchCount, candidates.count)])
                for rows in try rows(of: batch, request, look) {
                    receipt.rows += rows.count
                    for row in rows { try CallerError.giving(format.line(row), to: body) }
                    deletion?.note(rows)
                }
                start += batch.count
                try CallerError.giving(start) { try progress($0, candidates.count) }
            }
            for row in try deletion?.rows() ?? [] {
                receipt.rows += 1
                try CallerError.giving(format.line(row), to: body)
            }
            return receipt
        }
    }

    /// The rows of some subjects, of each in its order.
    private func rows(
        of batch: [Candidate], _ request: TableRequest, _ look: MetricsLook
    ) throws -> [[[JSONValue]]] {
        let core = core
        let turns = (batch.count + Self.turnCount - 1) / Self.turnCount
        let parts = try Parallel.run(
            workers: workers, turns: turns, workspace: { _ in [Int: [[[JSONValue]]]]() }
        ) { found, number, _ in
            let pass = Self.pass(look, core)
            let range = number * Self.turnCount..<min((number + 1) * Self.turnCount, batch.count)
            found[number] = try range.map { index in
                try Self.rows(
                    of: batch[index].element, at: batch[index].position, request, pass, core)
            }
        }
        let all = parts.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        return (0..<turns).flatMap { all[$0] ?? [] }
    }

    fileprivate static func pass(_ look: MetricsLook, _ core: LedgerCore) -> MetricsPass {
        // No row asks what day it is.
        MetricsPass(look.known, core, cut: look.cut, at: look.at, MetricRules(), in: .utc, nil)
    }

    fileprivate static func rows(
        of element: Element, at position: Int64, _ request: TableRequest, _ pass: MetricsPass,
        _ core: LedgerCore
    ) throws -> [[JSONValue]] {
        guard let subject = try pass.subject(element) else { return [] }
        var shown: String?
        if case .customer(let key) = element { shown = pass.shown(key) }
        let texts = try TransactionTexts(subject, pass.state, core.store, request.environment)
        let context = ExportContext(
            position: position, environment: request.environment, customer: shown,
            transactionText: { texts.text(of: $1) })
        return subject.rows(of: request.table, request.names, context)
    }

    // MARK: Whose rows

    /// Whom the events after a place concern: all of them after a catalog, which may say for the first time of what
    /// kind a product is.
    /// - Returns: `nil`: everything is asked for.
    private func concerned(
        _ request: TableRequest, _ look: MetricsLook, after: Int64
    ) throws -> ConcernedSubjects? {
        guard request.after != nil else { return nil }
        let state = look.known
        var concerned = try ConcernedSubjects(
            core, state, request.environment, after: after, through: look.cut)
        if concerned.hasCatalog, request.table != .customers {
            concerned.customers = state.idsAndReceivers(in: request.environment, cut: look.cut)
                .sorted().filter { $0 != 0 }.map { CustomerKey(request.environment, $0) }
            concerned.lineages = state.lineageStreams(in: request.environment)
        }
        return concerned
    }

    /// Customers, each person once, and lineages, ascending by their newest events.
    private func candidates(
        _ request: TableRequest, _ look: MetricsLook, _ concerned: ConcernedSubjects?
    ) throws -> [Candidate] {
        let state = look.known
        let pass = Self.pass(look, core)
        var seen: Set<NameID> = []
        let customers =
            concerned?.customers.filter { seen.insert(pass.person(of: $0)).inserted }
            ?? MetricsPass.people(pass, request.environment, look.cut)
        let lineages = concerned?.lineages ?? state.lineageStreams(in: request.environment)
        let candidates =
            lineages.map {
                Candidate(position: state.headOf($0).position, element: .lineage($0))
            }
            + customers.map { Candidate(position: pass.newest(of: $0), element: .customer($0)) }
        // One order for every export: that of the ledger's own numbers where positions are the same.
        return candidates.sorted { left, right in
            (left.position, left.element.order) < (right.position, right.element.order)
        }
    }
}

extension MetricsPass.Element {
    fileprivate var order: UInt64 {
        switch self {
        case .lineage(let stream): UInt64(stream)
        case .customer(let key): 1 << 32 | UInt64(key.name)
        }
    }
}

/// Rows that the reader of the export before has and that are there no more.
private struct DeletedRows {
    private let core: LedgerCore
    private let request: TableRequest
    /// What was known then.
    private let former: MetricsPass
    private let position: Int64
    private let keys: [Int]
    private let marks: (position: Int, isDeleted: Int)
    private let concerned: ConcernedSubjects
    private var written: Set<String> = []

    /// - Returns: `nil` for an export from the beginning, and for columns without that of deletion.
    init?(
        _ core: LedgerCore, _ request: TableRequest, _ look: MetricsLook,
        _ columns: [ExportTable.Column], _ concerned: ConcernedSubjects?
    ) throws {
        let names = columns.map(\.name)
        guard let after = request.after, let concerned,
            let isDeleted = names.firstIndex(of: "is_deleted"),
            let position = names.firstIndex(of: "position")
        else { return nil }
        self.core = core
        self.request = request
        self.position = look.cut
        marks = (position, isDeleted)
        keys = request.table.keyColumns.compactMap { names.firstIndex(of: $0) }
        let then = try MetricsLook(
            core, Moment(at: look.at, knownAt: .position(after.position)))
        former = TableExport.pass(then, core)
        self.concerned = concerned
    }

    private func key(of row: [JSONValue]) -> String {
        JSONValue.array(keys.map { row[$0] }).canonicalText
    }

    /// Notes the rows of a subject as they are now.
    mutating func note(_ rows: [[JSONValue]]) {
        for row in rows { written.insert(key(of: row)) }
    }

    /// Those that no subject has any more, in the order of their keys.
    func rows() throws -> [[JSONValue]] {
        var seen: Set<NameID> = []
        let elements =
            concerned.lineages.map(MetricsPass.Element.lineage)
            // Who is one person now may have been several, and the other way round.
            + concerned.customers.filter { seen.insert(former.person(of: $0)).inserted }
            .map(MetricsPass.Element.customer)
        var gone: [String: [JSONValue]] = [:]
        for element in elements {
            for var row in try TableExport.rows(of: element, at: position, request, former, core)
            where !written.contains(key(of: row)) {
                row[marks.isDeleted] = true
                gone[key(of: row)] = row
            }
        }
        return gone.sorted { precedesInBytes($0.key, $1.key) }.map(\.value)
    }
}

/// The texts of the transactions of a subject: what is too long for a reference only its row knows.
private struct TransactionTexts {
    private var texts: [Reference: String] = [:]

    init(
        _ subject: MetricSubject, _ state: LedgerState, _ store: any EventStore,
        _ environment: Environment
    ) throws {
        for (lineage, ids) in subject.transactionIDs {
            guard ids.contains(where: { $0.text == nil }),
                let stream = state.stream(named: lineage, .lineage, in: environment)
            else { continue }
            for row in try store.stream(endingAt: state.headOf(stream).position) {
                guard let text = row.reference else { continue }
                texts[Reference(text)] = text
            }
        }
    }

    /// - Returns: Of an id that only a correction brought its bits.
    func text(of id: Reference) -> String {
        id.text ?? texts[id] ?? id.hexadecimal
    }
}
