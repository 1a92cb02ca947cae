import DaybookDomain
import DaybookEvents
import DaybookStore

/// The events of a ledger as it was at one place, case by case, with what all cases share.
public struct CaseExport: Sendable {
    public let context: FoldContext
    private let core: LedgerCore
    private let state: LedgerState
    private let keys: CaseKeys

    /// Of the ledger's own events those that answers depend on: neither payloads that could not be read nor reports.
    private static let kinds: Set<EventType> = [
        .catalogPublished, .catalogRolledBack, .correctionVoided, .correctionAmended,
        .rateRecorded,
    ]

    init(core: LedgerCore, _ moment: Moment) throws {
        self.core = core
        try core.refresh()
        let look = try core.translating { try MetricsLook(core, moment) }
        let state = look.known
        self.state = state
        let place = try Places(core: core).place(at: state.head.position)
        keys = try core.translating { try CaseKeys(state) }
        var zones: [String: String] = [:]
        for name in state.zones.names + state.catalogs.versions.map(\.catalog.defaultTimeZone) {
            zones[name] = core.zoneTables.table(named: name)?.hexadecimalDigest
        }
        context = FoldContext(
            app: core.app, at: look.at, position: state.head.position,
            place: place.description, keys: keys, zones: zones,
            events: try core.translating { try Self.own(core, state) })
    }

    /// The ledger's own events, by position.
    private static func own(_ core: LedgerCore, _ state: LedgerState) throws -> [ContextEvent] {
        var rows: [EventRow] = []
        for stream in 1..<max(1, UInt32(clamping: state.streams.count) + 1) {
            let head = state.headOf(stream).position
            guard state.stream(stream).kind == .ledger, head > 0 else { continue }
            rows += try core.store.stream(endingAt: head).filter {
                kinds.contains($0.event.type)
            }
        }
        // Targets are compared with what was measured elsewhere.
        var measured: [Int64] = []
        try state.log.forEachBackwards(of: [.kpiRecorded], through: state.head.position) {
            measured.append($0.position)
            return true
        }
        rows += try core.store.rows(at: measured.reversed())
        rows.sort { $0.event.position < $1.event.position }
        var events: [ContextEvent] = []
        for row in rows {
            let event = try EventDecoder.recorded(
                row, stream: state.streamName(row.event.stream), names: state.names)
            let line = EventJSON.object(of: try Export(core: core).inlined(event)).canonicalBytes
            events.append(try ContextEvent(line, number: events.count + 2, app: core.app))
        }
        return events
    }

    /// Writes the events of one partition: those of a case one after the other, by position.
    /// - Parameters:
    ///   - partition: 0 up to `count`.
    ///   - count: How many partitions there are; which one a case is in depends on its name and this number alone.
    ///   - body: Is given whole lines, each ended by LF.
    /// - Returns: How many cases and events were written.
    /// - Throws: `LedgerError.store`, and what the body throws.
    /// - Complexity: O(*s*) in the ledger's streams, and a row for each event.
    public func write(
        partition: Int, of count: Int, _ body: ([UInt8]) throws -> Void
    ) throws -> (cases: Int64, events: Int64) {
        precondition(
            count > 0 && (0..<count).contains(partition), "There is no such partition.")
        var keys = keys
        let mark = context.mark
        let cases = keys.cases(ofPartition: partition, of: count)
        var written: Int64 = 0
        var lines: [UInt8] = []
        for one in cases {
            var rows = try core.translating {
                try one.streams.flatMap {
                    try core.store.stream(endingAt: state.headOf($0).position)
                }
            }
            rows.sort { $0.event.position < $1.event.position }
            for row in rows {
                let event = try EventDecoder.recorded(
                    row, stream: state.streamName(row.event.stream), names: state.names)
                var draft = event.draft
                draft.recordedAt = event.recordedAt
                draft.extras[CasePlace.member] =
                    CasePlace(
                        key: one.name, eventCount: Int64(rows.count), position: event.position,
                        context: mark
                    ).json
                lines += draft.recordedLine + [0x0A]
            }
            written += Int64(rows.count)
            if lines.count >= Self.byteCount {
                try body(lines)
                lines.removeAll(keepingCapacity: true)
            }
        }
        if !lines.isEmpty { try body(lines) }
        return (Int64(cases.count), written)
    }

    /// Bytes that are handed over at once, about.
    private static let byteCount = 1 << 20
}
