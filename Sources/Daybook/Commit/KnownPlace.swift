import DaybookDomain
import DaybookEvents

/// What is known of a report before the writer has it, and stays true whatever is written meanwhile.
///
/// Why: names, streams and keys are looked up at random places of large tables, one after the other; found by as many
/// threads as there are processors, they do not keep the one writer waiting.
struct KnownPlace: Sendable {
    /// The number of its stream; 0: the stream has not begun, or it was not looked for.
    var stream: UInt32 = 0
    /// No event up to this position has its key; 0: it was not looked for, or one may have it.
    var freeThrough: Int64 = 0
}

/// Reports on their way to the writer.
struct PreparedReports: Sendable {
    let events: [PreparedEvent]
    /// Of each event; none where nothing was looked for.
    private let places: [KnownPlace]

    init(_ events: [PreparedEvent], places: [KnownPlace] = []) {
        self.events = events
        self.places = places
    }

    /// - Parameter index: Of the event.
    func place(_ index: Int) -> KnownPlace {
        index < places.count ? places[index] : KnownPlace()
    }

    /// How many drafts one task prepares: some 500 µs, many times what it costs to hand them over.
    private static let partCount = 128

    /// Checks, prepares and looks up drafts on as many cores as there are, in the caller's own time; the order stays.
    static func preparing(_ drafts: [EventDraft], _ core: LedgerCore) async -> PreparedReports {
        let secret = core.store.header.secret
        guard drafts.count > partCount else {
            return PreparedReports(PreparedEvent.preparing(drafts[...], secret))
        }
        let starts = stride(from: 0, to: drafts.count, by: partCount)
        return await withTaskGroup(of: (Int, Part).self) { group in
            for (part, start) in starts.enumerated() {
                let own = drafts[start..<min(start + partCount, drafts.count)]
                group.addTask {
                    let events = PreparedEvent.preparing(own, secret)
                    return (part, Part(events: events, places: core.places(of: events)))
                }
            }
            var parts = [Part](repeating: Part(), count: starts.underestimatedCount)
            for await (part, prepared) in group { parts[part] = prepared }
            for index in parts.indices where parts[index].places == nil {
                // A commit may have been decided meanwhile.
                parts[index].places = core.places(of: parts[index].events)
            }
            return PreparedReports(
                parts.flatMap(\.events),
                places: parts.flatMap { part in
                    part.places ?? Array(repeating: KnownPlace(), count: part.events.count)
                })
        }
    }

    private struct Part {
        var events: [PreparedEvent] = []
        /// `nil`: nothing could be looked up.
        var places: [KnownPlace]?
    }
}

extension LedgerCore {
    /// Looks up where reports belong, in a copy of the state; `nil` while it is in use: a thread that decides or
    /// answers goes first, and the writer can look for itself.
    fileprivate func places(of reports: [PreparedEvent]) -> [KnownPlace]? {
        state.withLockIfAvailable { $0 }?.places(of: reports)
    }
}

extension LedgerState {
    /// Looks up where reports belong, among what the store holds for ever.
    func places(of reports: [PreparedEvent]) -> [KnownPlace] {
        var source = KnownName()
        return reports.map { report in
            guard report.hasRow else { return KnownPlace() }
            var place = KnownPlace()
            let stream = report.stream
            if let name = names.id(of: stream.name),
                let id = streamID(stream.environment, stream.kind, name), isStored(stream: id)
            {
                place.stream = id
            }
            if let keys, let kind = source.id(of: report.draft.source.kind, names) {
                let key = EventKey(stream.environment, kind, report.key)
                if keys.isSurelyNew(key) { place.freeThrough = keys.sealedThrough }
            }
            return place
        }
    }

    /// The last name that was looked up: neighbours mostly have the same.
    private struct KnownName {
        private var text = ""
        private var id: NameID?

        mutating func id(of text: String, _ names: borrowing NameTable) -> NameID? {
            if !haveSameBytes(text, self.text) { (self.text, id) = (text, names.id(of: text)) }
            return id
        }
    }
}
