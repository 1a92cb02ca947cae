import DaybookEvents
import DaybookStore

/// The name of a history, for people and as JSON.
enum HistoryPointText {
    static func line(_ point: HistoryPoint) -> String {
        "position \(point.position), epoch \(point.epoch), history \(point.hash)"
    }

    static func json(_ point: HistoryPoint) -> JSONObject {
        [
            "position": .integer(point.position), "epoch": .integer(point.epoch),
            "history": .string(point.hash.description),
        ]
    }

    /// The members of the point and others.
    static func json(_ point: HistoryPoint, adding members: JSONObject) -> JSONObject {
        var object = json(point)
        for member in members.members { object[member.name] = member.value }
        return object
    }
}
