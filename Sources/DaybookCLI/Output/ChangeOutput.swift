import Daybook

/// Writes events as they are told, and where a reader goes on that has taken them in.
final class ChangeOutput {
    private let isJSON: Bool
    private(set) var eventCount: Int64 = 0
    /// After the last event that was looked at; `nil`: none was.
    private(set) var place: Place?
    /// The place that the reader was told last.
    private var toldPlace: Place?

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Writes the events of a page, one to a line.
    /// - Throws: As `Terminal.write` does; the page is not counted then.
    func write(_ page: ChangePage) throws {
        if isJSON {
            try Terminal.output.write(
                bytes: page.events.flatMap { $0.json.canonicalBytes + [0x0A] })
        } else {
            let lines: [HumanText] = page.events.map { Self.line($0.event) }
            try Terminal.output.write(lines.reduce(into: "") { $0 += $1 })
        }
        eventCount += Int64(page.events.count)
        place = page.place
        if let last = page.events.last { toldPlace = last.place }
    }

    /// Writes where to go on, where the last line does not say it already.
    func writePlace() throws {
        if toldPlace != place { try writeEnd(isMore: false) }
    }

    /// Writes where to go on.
    /// - Parameter isMore: Whether there are further events.
    func writeEnd(isMore: Bool) throws {
        guard let place else { return }
        if isJSON {
            var object = place.json
            object["events"] = .integer(eventCount)
            object["more"] = .bool(isMore)
            try Terminal.output.write(object)
        } else {
            let count = Words.count(eventCount, "event")
            let rest = isMore ? ", and there are more" : ""
            try Terminal.output.write("\(count)\(rest); go on with --after \(place)\n")
        }
        toldPlace = place
    }

    private static func line(_ event: RecordedEvent) -> HumanText {
        let subject = event.draft.subject ?? event.stream.name
        return
            "\(event.position)  \(Words.time(event.recordedAt))  \(event.draft.type)  \(subject)\n"
    }
}
