import Daybook
import DaybookEvents

/// Finds the rows and rectangles of a plane.
struct PlaneSearch {
    let core: LedgerCore
    let question: PlaneQuestion
    let valid: Range<Int64>
    private(set) var rows: [BeliefPlane.Row] = []
    private(set) var rectangles: [BeliefPlane.Rectangle] = []
    private(set) var passedCount = 0
    /// What people were told, ascending by time: the answers of each row while it was the newest.
    private var told: [Told] = []
    /// The answers of the newest row.
    private var cells: [PlaneRow.Cell] = []
    /// Places of the rectangles that hold in it, in the order of the cells.
    private var open: [Int] = []

    init(core: LedgerCore, question: PlaneQuestion, valid: Range<Int64>) {
        self.core = core
        self.question = question
        self.valid = valid
    }

    private struct Told {
        var range: Range<Int64>
        var answer: BeliefPlane.Answer?
        var row: Int
    }

    /// More are refused.
    private static let rectangleCountMax = 100_000

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
    ///   - end: What lies after it has been told to no one yet.
    mutating func run(
        _ listed: [EventRow], _ eventCount: Int, _ last: PlaneRow, cut: Int64, until end: Int64
    ) throws {
        var newest = listed.suffix(max(1, eventCount))
        // A commit is whole: its other events belong to its row.
        while let first = newest.first, newest.startIndex > listed.startIndex,
            listed[newest.startIndex - 1].recordedAt == first.recordedAt
        {
            newest = listed[(newest.startIndex - 1)...]
        }
        passedCount = listed.count - newest.count
        let floor = passedCount > 0 ? (newest.first?.event.position ?? 1) - 1 : 0
        // Before the ledger began it told no one anything, and what was told before the passed events is not looked at.
        var since = try core.store.rows(at: [max(1, floor)]).first?.recordedAt ?? Int64.max
        rows = [.init(position: floor, recordedAt: Int64.min, events: [])]
        var row = PlaneRow(question, cut: floor)
        cells = try row.cells(in: valid)
        for cell in cells.indices { addRectangle(cell, row: 0) }
        for commit in try commits(newest, above: floor, cut: cut) {
            let own = try row.ownEvents()
            let begins = Self.begin(of: commit, own)
            let goesOn =
                try !commit.hasCatalog
                && row.advance(
                    to: commit.position, with: commit.events.map(\.event), own: own.streams)
            if !goesOn { row = PlaneRow(question, cut: commit.position) }
            guard begins < valid.upperBound else { continue }
            try take(row, from: begins, commit, since: &since, cut: cut)
        }
        try confirm(last, since: &since, cut: cut)
        note(toldFrom: since, until: end)
        for place in open {
            rectangles[place].rows = rectangles[place].rows.lowerBound..<rows.count
        }
        rectangles.sort {
            ($0.rows.lowerBound, $0.valid.lowerBound) < ($1.rows.lowerBound, $1.valid.lowerBound)
        }
    }

    /// Another customer's event can matter, too: an alias that is no more.
    private mutating func confirm(
        _ last: PlaneRow, since: inout Int64, cut: Int64
    ) throws {
        guard try !last.has(cells, until: valid.upperBound) else { return }
        let wanted = try last.cells(in: valid)
        let position = try firstHolding(after: rows[rows.count - 1].position, by: cut) {
            try PlaneRow(question, cut: $0).cells(in: valid) == wanted
        }
        guard let row = try core.store.rows(at: [position]).first else { return }
        try take(
            last, from: Int64.min,
            Commit(position: position, recordedAt: row.recordedAt, events: [row]), since: &since,
            cut: cut)
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
    /// of a customer is the first sight, which may move what is counted from it, and so may an event of another stream.
    /// - Parameter own: The customer's streams and first sight, as known before.
    private static func begin(
        of commit: Commit, _ own: (streams: Set<UInt32>, firstAt: Int64)
    ) -> Int64 {
        guard !commit.hasCatalog else { return Int64.min }
        var begin = Int64.max
        for event in commit.events.map(\.event) {
            guard event.occurredAt >= own.firstAt, own.streams.contains(event.stream),
                event.type.isUsage || event.type.isOfScreens
            else { return Int64.min }
            if event.type.isUsage { begin = min(begin, event.occurredAt) }
        }
        return begin
    }

    /// Takes the answers of a next row, those from a time on.
    /// - Parameter since: From when on the row before was the newest; becomes that of the next.
    private mutating func take(
        _ row: PlaneRow, from begin: Int64, _ commit: Commit, since: inout Int64, cut: Int64
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
        note(toldFrom: since, until: commit.recordedAt)
        since = max(since, commit.recordedAt)
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
        if rectangles.count > Self.rectangleCountMax { throw PlaneTooLarge() }
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

    /// Notes what the newest row told while it was the newest.
    private mutating func note(toldFrom start: Int64, until end: Int64) {
        let stretch = (start..<max(start, end)).clamped(to: valid)
        guard !stretch.isEmpty else { return }
        for index in cells.indices {
            let range = range(of: index).clamped(to: stretch)
            guard !range.isEmpty else { continue }
            told.append(Told(range: range, answer: cells[index].answer, row: rows.count - 1))
        }
    }

    /// Stretches in which something else was told than is known now: the diagonal beside the last row.
    func differences() -> [BeliefPlane.Difference] {
        var found: [BeliefPlane.Difference] = []
        var index = 0
        for told in told {
            while range(of: index).upperBound <= told.range.lowerBound { index += 1 }
            var other = index
            while other < cells.count, cells[other].from < told.range.upperBound {
                let range = range(of: other).clamped(to: told.range)
                if !range.isEmpty, told.answer?.allowed != cells[other].answer?.allowed {
                    found += splitting(range, told, cells[other].answer)
                }
                other += 1
            }
        }
        return Self.joined(found)
    }

    /// By the row from which on what is known now was known of a time: after the last one that said something else.
    private func splitting(
        _ range: Range<Int64>, _ told: Told, _ known: BeliefPlane.Answer?
    ) -> [BeliefPlane.Difference] {
        let wrong = rectangles.filter {
            $0.rows.upperBound > told.row && !$0.valid.clamped(to: range).isEmpty
                && $0.answer?.allowed != known?.allowed
        }
        let bounds = Set(
            [range.lowerBound, range.upperBound]
                + wrong.flatMap { [$0.valid.lowerBound, $0.valid.upperBound] }.filter(
                    range.contains)
        ).sorted()
        return zip(bounds, bounds.dropFirst()).map { start, end in
            let row = wrong.filter { $0.valid.contains(start) }.map(\.rows.upperBound).max()
            return .init(
                range: start..<end, told: told.answer, hindsight: known, row: row ?? told.row)
        }
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
