/// What every envelope keeps to, whatever made the draft: a line of JSON, a command, or a program (rule 30).
package enum EnvelopeBounds {
    /// Members of the extras that are names and not any value that their sender likes.
    private static let namedExtras = [
        "actor", "causation", "correlation", "id", "reason", "ticket",
    ]

    static func check(_ draft: EventDraft) throws(EventProblem) {
        try check(draft.type.rawValue, "type")
        try check(draft.subject, "subject")
        try check(draft.profile, "profile")
        try check(draft.source.kind, "source.kind")
        try check(draft.source.key, "source.key")
        if !draft.extras.isEmpty { try checkExtras(draft.extras) }
        try check(Int64(draft.version), in: 1...EventBounds.versionMax, "v")
        try check(draft.occurredAt, in: EventBounds.times, "occurred_at")
        try check(draft.recordedAt, in: EventBounds.times, "recorded_at")
        try check(draft.source.signedAt, in: EventBounds.times, "source.signed_at")
        try check(draft.sequence, in: 0...EventBounds.sequenceMax, "sequence")
        // An event is at depth 0, so its data and its extras begin at 1.
        try checkNesting(draft.data, at: 1, "data")
        try checkNesting(draft.extras, at: 0, "event")
    }

    private static func checkExtras(_ extras: JSONObject) throws(EventProblem) {
        for name in namedExtras { try check(extras[name]?.text, name) }
        for member in extras.members where EventJSON.known.contains(member.name) {
            throw EventProblem(
                .forbidden, member.name, "stands in the envelope already; it is no extra member")
        }
    }

    /// Checks a text of the envelope: not empty, not too long, and no control character that a terminal would obey.
    package static func check(_ text: String?, _ name: String) throws(EventProblem) {
        guard let text else { return }
        try EventProblem.require(
            !text.isEmpty, .wrongType, name, "must not be empty; leave it out instead")
        try EventProblem.require(
            text.utf8.count <= EventBounds.nameByteCountMax, .tooLarge, name,
            "is longer than \(EventBounds.nameByteCountMax) bytes")
        guard mayHoldControls(text) else { return }
        let control = text.unicodeScalars.first {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }
        if let control {
            let code = String(control.value, radix: 16, uppercase: true)
            throw EventProblem(
                .wrongType, name, "has a control character (U+\(code)); send text without")
        }
    }

    /// Whether a byte is a control character's, or the first of two that may be one's (U+0080 to U+009F).
    private static func mayHoldControls(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            utf8.contains(
                word: {
                    ByteWords.holds($0, below: 0x20) || ByteWords.holds($0, 0x7F)
                        || ByteWords.holds($0, 0xC2)
                }, byte: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 })
        }
    }

    static func check(
        _ number: Int64?, in range: ClosedRange<Int64>, _ name: String
    ) throws(EventProblem) {
        guard let number, !range.contains(number) else { return }
        throw EventProblem(
            .outOfBounds, name, "\(number) is outside \(range.lowerBound) to \(range.upperBound)")
    }

    /// What cannot be read back must not be written: the reader's depth, and names of members.
    private static func checkNesting(
        _ object: JSONObject, at depth: Int, _ place: String
    ) throws(EventProblem) {
        try checkDepth(depth, place)
        for index in object.members.indices {
            let member = object.members[index]
            try EventProblem.require(
                member.name.utf8.count <= EventBounds.nameByteCountMax, .tooLarge, place,
                "the member \"\(member.name.excerpt)\" has a name longer than "
                    + "\(EventBounds.nameByteCountMax) bytes")
            try checkNesting(member.value, at: depth + 1, place)
        }
    }

    private static func checkNesting(
        _ value: JSONValue, at depth: Int, _ place: String
    ) throws(EventProblem) {
        switch value {
        case .object(let object): try checkNesting(object, at: depth, place)
        case .array(let values):
            try checkDepth(depth, place)
            for value in values { try checkNesting(value, at: depth + 1, place) }
        default: try checkDepth(depth, place)
        }
    }

    private static func checkDepth(_ depth: Int, _ place: String) throws(EventProblem) {
        try EventProblem.require(
            depth <= JSONReader.depthMax, .tooLarge, place,
            "is nested deeper than \(JSONReader.depthMax) levels")
    }
}
