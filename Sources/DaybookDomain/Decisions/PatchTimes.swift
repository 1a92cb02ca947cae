package import DaybookEvents

/// Turns times in RFC 3339 in an amendment's patch into milliseconds.
package enum PatchTimes {
    /// The fields that are times; no type has another kind of field of one of these names.
    private static let fields = Set(
        Vocabulary.schemas.flatMap { schema in
            schema.fields.filter { $0.kind == .time }.map(\.name)
        })

    /// The patch with such times in milliseconds, as the event itself has them; anything else is left as it is.
    /// - Throws: `EventProblem` with the member `data.patch.FIELD` for a text that is no time.
    package static func inMilliseconds(
        _ patch: JSONObject
    ) throws(EventProblem) -> JSONObject {
        var numbers = patch
        for member in patch.members {
            guard let text = member.value.text, fields.contains(member.name) else { continue }
            numbers[member.name] = .integer(try instant(text, "data.patch.\(member.name)"))
        }
        return numbers
    }

    /// Milliseconds since 1970 UTC of a time in RFC 3339.
    /// - Parameter member: Where it stands, for the message.
    /// - Throws: `EventProblem` with the code `wrong_type` for a text that is no time, or one finer than milliseconds.
    package static func instant(
        _ text: String, _ member: String
    ) throws(EventProblem) -> Int64 {
        if let instant = RFC3339.parse(text) { return instant }
        throw EventProblem(
            .wrongType, member,
            "\"\(text.prefix(40))\" is no time; write milliseconds since 1970, or RFC 3339 with its offset and at most milliseconds: 2026-03-01T09:00:00Z"
        )
    }
}
