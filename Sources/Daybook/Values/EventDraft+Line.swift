package import DaybookEvents

extension EventDraft {
    /// The line under which a recorded event is written down: canonical, with its recorded time, without a position.
    package var recordedLine: [UInt8] {
        var object = EventJSON.object(of: self)
        object["recorded_at"] = recordedAt.map(JSONValue.integer)
        return object.canonicalBytes
    }
}
