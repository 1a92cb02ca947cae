import DaybookEvents

/// What is the same about a webhook and a subscriber document: at most 1 MiB of JSON, and a place for what is wrong.
enum RevenueCatDocument {
    /// A larger one is refused unread; most have a few KiB.
    static let byteCountMax = 1 << 20

    /// Reads the JSON of a payload, and what that says.
    /// - Parameters:
    ///   - firstLine: The line of the first byte in a larger file, for messages.
    ///   - noun: What the payload is called in messages.
    ///   - problem: The place of what `reading` objects to.
    /// - Throws: `too_large`, `bad_json` at the byte that is wrong, or what `problem` makes of a mistake in the
    ///   content.
    static func read<Reading>(
        _ bytes: [UInt8], firstLine: Int, noun: String,
        _ reading: (JSONValue) throws(EventProblem) -> Reading,
        placing problem: (EventProblem) -> LineProblem
    ) throws(LineProblem) -> Reading {
        guard bytes.count <= byteCountMax else {
            throw LineProblem(
                line: firstLine, column: 1, code: EventProblem.Code.tooLarge.rawValue,
                reason: "the \(noun) has \(bytes.count) bytes, more than \(byteCountMax)",
                bytes: bytes)
        }
        let json = try LineProblem.json(bytes, firstLine: firstLine, kept: bytes)
        do throws(EventProblem) {
            return try reading(json)
        } catch {
            throw problem(error)
        }
    }
}

extension LineProblem {
    /// A payload whose JSON is fine and whose content is not; the place is that of the member.
    /// - Parameter problem: Its member is a path from the outermost object on.
    init(payload: [UInt8], firstLine: Int, _ problem: EventProblem) {
        // `event` alone means an envelope of ours to the finder; theirs has a member of that name.
        let offset = MemberPlace.column(of: "event." + problem.member, in: payload) - 1
        self.init(payload: payload, firstLine: firstLine, problem, offset: offset)
    }

    /// The same where the place is known.
    /// - Parameter offset: Of the member's first byte in the payload.
    init(payload: [UInt8], firstLine: Int, _ problem: EventProblem, offset: Int) {
        let before = payload.prefix(offset)
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        self.init(
            line: firstLine + before.count(where: { $0 == 0x0A }), column: offset - start + 1,
            code: problem.code.rawValue, reason: "\(problem.member): \(problem.reason)",
            member: problem.member, bytes: payload)
    }
}
