import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore

/// Finds the rows and rectangles of a plane.
struct PlaneSearch {
    let core: LedgerCore
    let question: PlaneQuestion
    let valid: Range<Int64>
    private(set) var rows: [BeliefPlane.Row] = []
    private(set) var rectangles: [BeliefPlane.Rectangle] = []
    private(set) var passedCount = 0
    /// When the ledger began: before that it told no one anything.
    private var firstRecordedAt = Int64.max
    /// The answers of the newest row.
    private var cells: [PlaneRow.Cell] = []
    /// Places of the rectangles that hold in it, in the order of the cells.
    private var open: [Int] = []

    init(core: LedgerCore, question: PlaneQuestion, valid: Range<Int64>) {
        self.core = core
        self.question = question
        self.valid = valid
    }

    /// What one commit brought.
    private struct Commit {
        var position: Int64
        var recordedAt: Int64
        /// Ascending by position.
        var events: [EventRow] = []
        var hasCatalog = false
    }

    /// - Parameters:
    ///   - listed: Everything that concerns the customer, ascending by position.
    ///   - last: The row of everything that is known.
    mutating func run(
        _ listed: [EventRow], _ eventCount: Int, _ last: PlaneRow, cut: Int64
    ) throws {
        firstRecordedAt = try core.store.rows(at: [1]).first?.recordedAt ?? Int64.max
        let newest = listed.suffix(max(1, eventCount))
        passedCount = listed.count - newest.count
        let floor = passedCount > 0 ? (newest.first?.event.position ?? 1) - 1 : 0
        var first = Int64.max
        for row in listed.dropLast(newest.count) { first = min(first, row.event.occurredAt) }
        rows = [.init(position: floor, recordedAt: Int64.min, events: [])]
        var row = PlaneRow(question, cut: floor)
        cells = try row.cells(in: valid)
        for cell in cells.indices { addRectangle(cell, row: 0) }
        for commit in try commits(newest, above: floor, cut: cut) {
            let begins = Self.begin(of: commit, first: first)
            for event in commit.events { first = min(first, event.event.occurredAt) }
            let goesOn =
                try !commit.hasCatalog
                && row.advance(to: commit.position, with: commit.events.map(\.event))
            if !goesOn { row = PlaneRow(question, cut: commit.position) }
            if begins < valid.upperBound { try take(row, from: begins, commit, cut: cut) }
        }
        try confirm(last, cut: cut)
        let end = rows.count
        for place in open { rectangles[place].rows = rectangles[place].rows.lowerBound..<end }
        rectangles.sort {
            ($0.rows.lowerBound, $0.valid.lowerBound) < ($1.rows.lowerBound, $1.valid.lowerBound)
        }
    }

    /// Another customer's event can matter, too: an alias that is no more.
    private mutating func confirm(_ last: PlaneRow, cut: Int64) throws {
        guard try !last.has(cells, until: valid.upperBound) else { return }
        let wanted = try last.cells(in: valid)
        var (low, high) = (rows[rows.count - 1].position, cut)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let isFinal = try PlaneRow(question, cut: middle).cells(in: valid) == wanted
            if isFinal { high = middle } else { low = middle }
        }
        guard let row = try core.store.rows(at: [high]).first else { return }
        try take(
            last, from: Int64.min,
            Commit(position: high, recordedAt: row.recordedAt, events: [row]), cut: cut)
    }

    private func entries(_ rows: [EventRow], cut: Int64) throws -> [HistoryEntry] {
        try CustomerHistory(core: core).entries(
            rows, question.state, cut: cut, until: Int64.max)
    }

    /// Commits with their events; catalogs concern everyone.
    private func commits(
        _ listed: ArraySlice<EventRow>, above floor: Int64, cut: Int64
    ) throws -> [Commit] {
        var commits: [Int64: Commit] = [:]
        for row in listed {
            let time = row.recordedAt
            commits[time, default: Commit(position: 0, recordedAt: time)].events.append(row)
            commits[time]?.position = row.event.position
        }
        for version in question.state.catalogs.known(at: cut).versions
        where version.position > floor {
            guard let row = try core.store.rows(at: [version.position]).first else { continue }
            let time = row.recordedAt
            var commit = commits[time] ?? Commit(position: 0, recordedAt: time)
            commit.position = max(commit.position, version.position)
            commit.hasCatalog = true
            commits[time] = commit
        }
        return commits.values.sorted { $0.position < $1.position }
    }

    /// The first time at which a commit can change an answer.
    ///
    /// Usage takes part from its own time on (rule 4), and on what screens tell no answer depends; but the first event
    /// of a customer is their first sight, which may move what is counted from it.
    /// - Parameter first: The time of the customer's first event that was known before.
    private static func begin(of commit: Commit, first: Int64) -> Int64 {
        guard !commit.hasCatalog else { return Int64.min }
        var begin = Int64.max
        for row in commit.events {
            let type = row.event.type
            guard row.event.occurredAt >= first, type.isUsage || type.isOfScreens else {
                return Int64.min
            }
            if type.isUsage { begin = min(begin, row.event.occurredAt) }
        }
        return begin
    }

    /// Takes the answers of a next row, those from a time on.
    private mutating func take(
        _ row: PlaneRow, from begin: Int64, _ commit: Commit, cut: Int64
    ) throws {
        var next = cells
        if begin <= valid.lowerBound {
            next = try row.cells(in: valid)
        } else {
            next = cells.filter { $0.from < begin }
            for cell in try row.cells(in: begin..<valid.upperBound)
            where next.last?.answer != cell.answer {
                next.append(cell)
            }
        }
        guard next != cells else { return }
        let place = rows.count
        rows.append(
            .init(
                position: commit.position, recordedAt: commit.recordedAt,
                events: try entries(commit.events, cut: cut)))
        // Those that go on as they are, and the others.
        var going: [Range<Int64>: Int] = [:]
        for (index, rectangle) in open.enumerated() { going[range(of: index)] = rectangle }
        let former = cells
        let formerOpen = open
        cells = next
        open = []
        var kept: Set<Int> = []
        for index in cells.indices {
            if let rectangle = going[range(of: index)],
                rectangles[rectangle].answer == cells[index].answer
            {
                open.append(rectangle)
                kept.insert(rectangle)
            } else {
                addRectangle(index, row: place)
            }
        }
        for index in former.indices where !kept.contains(formerOpen[index]) {
            let rectangle = formerOpen[index]
            rectangles[rectangle].rows = rectangles[rectangle].rows.lowerBound..<place
        }
    }

    private func range(of index: Int) -> Range<Int64> {
        let end = index + 1 < cells.count ? cells[index + 1].from : valid.upperBound
        return cells[index].from..<end
    }

    private mutating func addRectangle(_ index: Int, row: Int) {
        open.append(rectangles.count)
        rectangles.append(
            .init(
                valid: range(of: index), rows: row..<row + 1, answer: cells[index].answer))
    }

    // MARK: What people were told

    /// Stretches in which something else was told than is known now: the diagonal beside the last row.
    /// - Parameter end: What lies after it has been told to no one yet.
    func differences(until end: Int64) -> [BeliefPlane.Difference] {
        var found: [BeliefPlane.Difference] = []
        for (index, row) in rows.enumerated() {
            let from = max(row.recordedAt, valid.lowerBound, firstRecordedAt)
            let until = min(
                index + 1 < rows.count ? rows[index + 1].recordedAt : end, end, valid.upperBound)
            guard from < until else { continue }
            for told in rectangles where told.rows.contains(index) {
                for known in rectangles where known.rows.upperBound == rows.count {
                    let range = told.valid.clamped(to: from..<until).clamped(to: known.valid)
                    guard !range.isEmpty, told.answer?.allowed != known.answer?.allowed else {
                        continue
                    }
                    found += splitting(range, told.answer, known.answer, after: index)
                }
            }
        }
        return Self.joined(found.sorted { $0.range.lowerBound < $1.range.lowerBound })
    }

    /// By the row from which on what is known now was known of a time.
    private func splitting(
        _ range: Range<Int64>, _ told: BeliefPlane.Answer?, _ known: BeliefPlane.Answer?,
        after row: Int
    ) -> [BeliefPlane.Difference] {
        var found: [BeliefPlane.Difference] = []
        var open = [range]
        for index in stride(from: rows.count - 1, to: row, by: -1) {
            // Of what is left: where the row before had another answer, this one brought it.
            var left: [Range<Int64>] = []
            for part in open {
                for rectangle in rectangles where rectangle.rows.contains(index - 1) {
                    let common = part.clamped(to: rectangle.valid)
                    guard !common.isEmpty else { continue }
                    if rectangle.answer?.allowed == known?.allowed {
                        left.append(common)
                    } else {
                        found.append(
                            .init(range: common, told: told, hindsight: known, row: index))
                    }
                }
            }
            open = left
        }
        return found
    }

    private static func joined(
        _ differences: [BeliefPlane.Difference]
    ) -> [BeliefPlane.Difference] {
        var joined: [BeliefPlane.Difference] = []
        for difference in differences {
            if let last = joined.last, last.range.upperBound == difference.range.lowerBound,
                last.row == difference.row,
                last.told?.allowed == difference.told?.allowed
            {
                joined[joined.count - 1].range = last.range.lowerBound..<difference.range.upperBound
            } else {
                joined.append(difference)
            }
        }
        return joined
    }
}
