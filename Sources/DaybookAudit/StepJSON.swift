package import DaybookEvents

/// The shape of what one event did.
extension SteppedReplay.Step {
    /// - Parameter total: How many events the whole replay has.
    package func json(of total: Int) -> JSONObject {
        [
            "step": .count(count), "steps": .count(total), "at": .integer(at),
            "event": .orNull(event?.json), "changes": .objects(changes.map(\.json)),
        ]
    }
}
