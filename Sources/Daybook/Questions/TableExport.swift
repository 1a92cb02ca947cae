import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes rows of transactions, subscription periods or customers (docs/exports.md).
///
/// A customer's rows are written when anything was recorded that they may depend on. Rows ascend by the position of the
/// newest such event, so that a reader goes on from the last position that it has, and each row is written once.
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
        /// Of the newest event that its rows may depend on.
        var position: Int64
        var element: Element
        /// Of the newest correction or change of identity that concerns it: only these can take a row away.
        var changedAt: Int64 = 0
    }

    fileprivate enum Element: Hashable {
        case customer(CustomerKey)
        case lineage(UInt32)
    }

    /// - Parameter body: Is given lines with their newlines; of CSV the names of the columns first.
    func export(
        _ request: TableRequest, progress: @Sendable (Int, Int) throws -> Void,
        _ body: ([UInt8]) throws -> Void
    ) throws -> TableReceipt {
        guard let columns = request.table.columns(request.names) else {
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_name",
                    reason:
                        "only transactions have the columns of RevenueCat; leave them out for \(request.table.rawValue)"
                )
            ])
        }
        try core.refresh()
        try core.readKeys()
        return try core.translating {
            // Facts say when they begin and end, so a row changes with what is recorded and not with time.
            let look = try MetricsLook(core, Moment(at: EventBounds.timeMax))
            let place = try Places(core: core).place(at: look.cut)
            let after = request.after?.position ?? 0
            if let asked = request.after { try Places(core: core).confirm(asked) }
            let candidates = try candidates(request, look).filter { $0.position > after }
            let format = TableFormat(request.format, columns)
            if let header = format.header { try giving(header, to: body) }
            var receipt = TableReceipt(rows: 0, subjects: candidates.count, place: place)
            var deletion = try DeletedRows(core, request, look, columns)
            var start = 0
            while start < candidates.count {
                let batch = Array(
                    candidates[start..<min(start + Self.batchCount, candidates.count)])
                for (candidate, rows) in zip(batch, try rows(of: batch, request, look)) {
                    receipt.rows += rows.count
                    for row in rows { try giving(format.line(row), to: body) }
                    try deletion?.take(
                        rows, of: candidate.changedAt > after ? candidate.element : nil)
                }
                start += batch.count
                do {
                    try progress(start, candidates.count)
                } catch {
                    throw CallerError(error: error)
                }
            }
            for row in deletion?.rows() ?? [] {
                receipt.rows += 1
                try giving(format.line(row), to: body)
            }
            return receipt
        }
    }

    /// What the caller's own code throws is the caller's, and no failure of the store.
    private func giving(_ line: [UInt8], to body: ([UInt8]) throws -> Void) throws {
        do { try body(line) } catch { throw CallerError(error: error) }
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
        MetricsPass(look.known, core, cut: look.cut, at: look.at, MetricRules(), in: .utc)
    }

    fileprivate static func rows(
        of element: Element, at position: Int64, _ request: TableRequest, _ pass: MetricsPass,
        _ core: LedgerCore
    ) throws -> [[JSONValue]] {
        let subject: MetricSubject?
        var shown: String?
        switch element {
        case .customer(let key):
            subject = try pass.subject(key)
            shown = pass.shown(key)
        case .lineage(let stream): subject = try pass.ownerless(stream)
        }
        guard let subject else { return [] }
        let texts = try TransactionTexts(subject, pass.state, core.store, request.environment)
        let context = ExportContext(
            position: position, environment: request.environment, customer: shown,
            transactionText: { texts.text(of: $1) })
        return subject.rows(of: request.table, request.names, context)
    }

    // MARK: Whose rows

    /// All customers and lineages, ascending by the newest event that their rows may depend on.
    private func candidates(
        _ request: TableRequest, _ look: MetricsLook
    ) throws -> [Candidate] {
        let state = look.known
        let environment = request.environment
        let corrected = try corrected(environment, state)
        // A catalog says for the first time of what kind a product is.
        let least = request.table == .customers ? 0 : look.catalog?.position ?? 0
        var candidates: [Candidate] = []
        for lineage in state.lineageStreams(in: environment) {
            let position = max(
                state.headOf(lineage).position, corrected.lineages[lineage] ?? 0, least)
            // Whom it belongs to is told by its own events.
            candidates.append(
                Candidate(
                    position: position, element: .lineage(lineage), changedAt: position))
        }
        let pass = Self.pass(look, core)
        for key in MetricsPass.people(pass, environment, look.cut) {
            var position = least
            var changedAt: Int64 = 0
            for name in pass.members(of: key) {
                let member = CustomerKey(environment, name)
                let links =
                    state.identity.linkPositions(of: member, cut: look.cut).map(\.position)
                    + state.identity.handoverPositions(of: member, cut: look.cut)
                changedAt = max(
                    changedAt, corrected.customers[member] ?? 0, links.max() ?? 0)
                if let stream = state.streamID(environment, .customer, name) {
                    position = max(position, state.headOf(stream).position)
                }
                for lineage in state.lineages(naming: member) {
                    position = max(position, state.headOf(lineage).position)
                    changedAt = max(changedAt, corrected.lineages[lineage] ?? 0)
                }
            }
            candidates.append(
                Candidate(
                    position: max(position, changedAt), element: .customer(key),
                    changedAt: changedAt))
        }
        // Stable, so that the order of customers is that of the ledger.
        let order = candidates.indices.sorted {
            (candidates[$0].position, $0) < (candidates[$1].position, $1)
        }
        return order.map { candidates[$0] }
    }

    private typealias Corrected = (customers: [CustomerKey: Int64], lineages: [UInt32: Int64])

    /// Whom corrections concern, with the position of the newest.
    private func corrected(_ environment: Environment, _ state: LedgerState) throws -> Corrected {
        var found: Corrected = ([:], [:])
        let restatements = Restatements(core: core)
        for position in state.special {
            guard let row = try core.store.rows(at: [position]).first,
                state.stream(row.event.stream).environment == environment
            else { continue }
            var search = ConcernSearch(state)
            try restatements.concerned(row.event, state, &search)
            for key in search.found {
                found.customers[key] = max(found.customers[key] ?? 0, position)
            }
            for lineage in search.lineages {
                found.lineages[lineage] = max(found.lineages[lineage] ?? 0, position)
            }
        }
        return found
    }
}

/// Rows that the reader of the export before has and that are there no more.
private struct DeletedRows {
    private let core: LedgerCore
    private let request: TableRequest
    /// What was known then.
    private let former: MetricsPass
    private let now: MetricsPass
    private let position: Int64
    private let keys: [Int]
    private let marks: (position: Int, isDeleted: Int)
    private var gone: [String: [JSONValue]] = [:]
    private var written: Set<String> = []
    private var seen: Set<NameID> = []

    /// - Returns: `nil` for an export from the beginning, and for columns without that of deletion.
    init?(
        _ core: LedgerCore, _ request: TableRequest, _ look: MetricsLook,
        _ columns: [ExportTable.Column]
    ) throws {
        let names = columns.map(\.name)
        guard let after = request.after, let isDeleted = names.firstIndex(of: "is_deleted"),
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
        now = TableExport.pass(look, core)
    }

    private func key(of row: [JSONValue]) -> String {
        JSONValue.array(keys.map { row[$0] }).canonicalText
    }

    /// - Parameters:
    ///   - rows: Of one subject, as they are now.
    ///   - element: The subject, where a row of it may have gone.
    mutating func take(_ rows: [[JSONValue]], of element: TableExport.Element?) throws {
        for row in rows { written.insert(key(of: row)) }
        guard let element else { return }
        var before: [TableExport.Element] = [element]
        if case .customer(let key) = element {
            before = now.members(of: key).map { .customer(CustomerKey(key.environment, $0)) }
        }
        for element in before {
            if case .customer(let key) = element {
                // Several ids may have been one person already.
                guard seen.insert(former.person(of: key)).inserted else { continue }
            }
            let rows = try TableExport.rows(of: element, at: position, request, former, core)
            for var row in rows {
                row[marks.isDeleted] = true
                row[marks.position] = .integer(position)
                gone[key(of: row)] = row
            }
        }
    }

    /// Those that no subject has any more, in the order of their keys.
    func rows() -> [[JSONValue]] {
        gone.filter { !written.contains($0.key) }.sorted { precedesInBytes($0.key, $1.key) }
            .map(\.value)
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
            guard ids.contains(where: { $0.text == nil }), let name = state.names.id(of: lineage),
                let stream = state.streamID(environment, .lineage, name)
            else { continue }
            for row in try store.stream(endingAt: state.headOf(stream).position) {
                guard let text = row.reference else { continue }
                texts[Reference(text)] = text
            }
        }
    }

    /// - Returns: Of an id that only a correction brought its bits.
    func text(of id: Reference) -> String {
        id.text ?? texts[id] ?? "\(String(id.high, radix: 16))\(String(id.low, radix: 16))"
    }
}
