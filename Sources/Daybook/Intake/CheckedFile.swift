import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// An event of a file, checked as far as it can be by itself.
struct FileEvent: Sendable {
    /// 1-based.
    var line: Int
    var prepared: PreparedEvent
    /// The line as it came, which a refusal gives back; empty where one bad line refuses the whole file.
    var bytes: [UInt8]

    /// The events of a line; the same line gives the same ones again.
    /// - Parameter isAppended: Whether they may be appended, not only checked.
    static func reading(
        _ line: InputLine, _ reader: some LineReader, _ check: ReportCheck, isAppended: Bool
    ) throws -> Result<[FileEvent], LineProblem> {
        switch reader.read(line) {
        case .failure(let problem): return .failure(problem)
        case .success(let events):
            var checked: [FileEvent] = []
            for event in events {
                do {
                    checked.append(
                        FileEvent(
                            line: event.line,
                            prepared: try check.prepare(event.draft, isAppended: isAppended),
                            bytes: event.bytes))
                } catch let problem as EventProblem {
                    return .failure(
                        LineProblem(line: event.line, bytes: event.bytes, problem))
                }
            }
            return .success(checked)
        }
    }
}

/// What the dry run of a file came to. Its lines lie in a spool: kept here is what does not grow with them, besides the
/// lines that were refused.
struct CheckedFile: Sendable {
    /// Neighbouring lines that are appended in one commit.
    struct Batch: Sendable {
        /// Their place in the spool.
        fileprivate(set) var range: Range<Int>
        /// Events that may be appended.
        fileprivate(set) var eventCount = 0
    }

    /// Events of a batch, and events whose keys are looked up in one turn: about 10 ms.
    static let batchCount = 4_096
    /// Bytes of the lines of a batch, or a line more: lines may be long.
    static let batchByteCount = 16 << 20

    /// In the order of the lines; a commit of an import holds no more, so that others get their turn. All events of a
    /// line are in one batch, so a batch need not be full.
    private(set) var batches: [Batch] = []
    private(set) var eventCount = 0
    /// Events that are in the ledger already, or stood further up in the file.
    var duplicates = 0
    /// In the order of the lines, once the dry run is done.
    var refused: [LineProblem] = []
    var byteCount = 0
    /// Lines that were looked at; blank ones do not count.
    var lineCount = 0
    /// How many events of each type that this build does not know; no more types than can be told.
    private(set) var unknownTypes: [String: Int] = [:]
    /// How many events have something else that no catalog and no schema knows, by kind and name.
    private(set) var unknownNames: [String: Int] = [:]
    /// Refunds of the file whose purchases are not in it.
    private(set) var unmetRefunds = UnmetRefunds([])
    private var spool = LineSpool()
    /// Lines that are left out after all.
    private var removed: Set<Int> = []
    private static let unknownTypesMax = 64
    /// Most events have the type of the one before.
    private var lastKnownType = EventTypeName(rawValue: "")

    /// Keeps a line.
    /// - Parameters:
    ///   - eventCount: How many events it has.
    ///   - kept: Those that may be appended, ascending by their places among the line's; one at least.
    ///   - isSure: Nothing further down can have the line left out; else `settle` or `remove` follows.
    /// - Returns: Where the line stands.
    /// - Throws: `StoreError` where there is no space.
    mutating func append(
        _ line: InputLine, eventCount: Int, kept: [(index: Int, event: PreparedEvent)],
        isSure: Bool
    ) throws -> Int {
        let place = try spool.append(line, eventCount: eventCount, kept: kept.map(\.index))
        let isFull = batches.last.map {
            $0.eventCount + kept.count > Self.batchCount
                || spool.end - $0.range.lowerBound > Self.batchByteCount
        }
        if isFull ?? true { batches.append(Batch(range: place..<place)) }
        let last = batches.count - 1
        batches[last].range = batches[last].range.lowerBound..<spool.end
        batches[last].eventCount += kept.count
        self.eventCount += kept.count
        if isSure { settle(kept.map(\.event)) }
        return place
    }

    /// Counts the events of a line that is certain to be appended.
    mutating func settle(_ events: [PreparedEvent]) {
        for event in events {
            noteType(event.draft.type)
            unmetRefunds.take(event)
        }
    }

    /// The line at a place, as `append` gave it.
    func line(at place: Int) throws -> LineSpool.Line { try spool.line(at: place) }

    /// The lines of a batch, without those that are left out.
    func lines(of batch: Batch) throws -> [LineSpool.Line] {
        let lines = try spool.lines(batch.range)
        return removed.isEmpty ? lines : lines.filter { !removed.contains($0.line.number) }
    }

    private mutating func noteType(_ type: EventTypeName) {
        if type == lastKnownType { return }
        if Vocabulary.isKnown(type) { return lastKnownType = type }
        if unknownTypes.count < Self.unknownTypesMax || unknownTypes[type.rawValue] != nil {
            unknownTypes[type.rawValue, default: 0] += 1
        }
    }

    mutating func noteUnknown(_ finding: UnknownNames.Finding) {
        let name = "\(finding.kind) \(finding.name)"
        if unknownNames.count < Self.unknownTypesMax || unknownNames[name] != nil {
            unknownNames[name, default: 0] += 1
        }
    }

    /// Leaves out a line after all, which was not sure.
    /// - Parameter count: How many of its events were kept.
    mutating func remove(line number: Int, _ count: Int) {
        if removed.insert(number).inserted { eventCount -= count }
    }
}
