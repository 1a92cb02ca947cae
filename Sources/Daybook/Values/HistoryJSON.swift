package import DaybookEvents
package import DaybookStore

/// The shapes of timelines, and of what names a whole history.
extension HistoryPage {
    /// One customer's timeline.
    package func json(of subject: String) -> JSONObject {
        [
            "subject": .string(subject), "events": .objects(map(\.json)),
            "next": .orNull(next?.description),
        ]
    }
}

extension HistoryEntry {
    package var json: JSONObject {
        var object = EventJSON.object(of: event)
        object["label"] = .string(label)
        object["void"] = .bool(isVoid)
        object["late"] = .bool(isLate)
        object["amendments"] = .array(amendments.map { .integer($0) })
        object["stream"] = .string(event.stream.description)
        object["version"] = .integer(event.streamVersion)
        return object
    }
}

extension PlacedEvent {
    /// The event as an export has it, but for the documents of catalogs, and its place.
    package var json: JSONObject {
        var object = EventJSON.object(of: event)
        object["place"] = .string(place.description)
        return object
    }
}

extension Place {
    /// Where a reader stands that has taken in everything before.
    package var json: JSONObject {
        ["place": .string(description), "position": .integer(position), "epoch": .integer(epoch)]
    }
}

extension HistoryPoint {
    package var json: JSONObject {
        [
            "position": .integer(position), "epoch": .integer(epoch),
            "history": .string(hash.description),
        ]
    }
}

extension BackupReport {
    /// The members of the point at which the backup ends, and others.
    package var json: JSONObject {
        history.json.adding([
            "path": .string(path), "events": .integer(events), "bytes": .integer(byteCount),
        ])
    }
}
