package import DaybookEvents

/// The shape of what one event did.
extension SteppedReplay.Step {
    /// - Parameter total: How many events the whole replay has.
    package func json(of total: Int) -> JSONObject {
        [
            "step": .integer(Int64(count)), "steps": .integer(Int64(total)),
            "at": .integer(at), "event": event.map { .object($0.json) } ?? .null,
            "changes": .array(changes.map { .object($0.json) }),
        ]
    }
}
