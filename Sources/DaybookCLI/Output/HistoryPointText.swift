import DaybookStore

/// The name of a history, for people.
enum HistoryPointText {
    static func line(_ point: HistoryPoint) -> String {
        "position \(point.position), epoch \(point.epoch), history \(point.hash)"
    }
}
