package import DaybookEvents

/// The shape of a bundle that was captured, without what is in it.
extension ReproBundle {
    package var json: JSONObject {
        [
            "events": .count(drafts.count), "subjects": .texts(subjects),
            "redacted": .bool(isRedacted), "at": .integer(at), "position": .integer(position),
            "digest": .string(digest),
        ]
    }
}
