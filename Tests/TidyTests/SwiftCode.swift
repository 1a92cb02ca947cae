/// The code of a Swift source: without comments and without what stands in strings, but with what their interpolations
/// name.
///
/// Of the grammar it knows these three alone. A regular expression between slashes is read as code, so one with a quote
/// in it would hide what follows in its line.
struct SwiftCode {
    private enum Mode {
        case code
        /// Behind `\(`, with so many brackets that are still open.
        case interpolation(openCount: Int)
        /// Between quotes, with so many `#` around them; a long one has three quotes and goes over several lines.
        case text(poundCount: Int, isLong: Bool)
    }

    /// UTF-8; in the place of every comment and of every piece of text there is a space.
    private(set) var bytes: [UInt8] = []
    /// UTF-8 of the comments alone, and of what stands in strings, each in the lines in which they stand.
    private(set) var comments: [UInt8] = []
    private(set) var texts: [UInt8] = []
    private let source: [UInt8]
    private var index = 0
    private var modes: [Mode] = [.code]

    init(_ text: String) {
        source = Array(text.utf8)
        bytes.reserveCapacity(source.count)
        while index < source.count {
            if case .text(let poundCount, let isLong) = modes.last {
                skipText(poundCount, isLong)
            } else {
                takeCode()
            }
        }
    }

    private func begins(_ marks: String, at place: Int) -> Bool {
        source.dropFirst(place).starts(with: marks.utf8)
    }

    private mutating func takeCode() {
        switch source[index] {
        case UInt8(ascii: "/") where begins("//", at: index): skipLine()
        case UInt8(ascii: "/") where begins("/*", at: index): skipComment()
        case UInt8(ascii: "\""), UInt8(ascii: "#"): openText()
        case UInt8(ascii: "("): countBracket(1)
        case UInt8(ascii: ")"): countBracket(-1)
        default: take()
        }
    }

    private mutating func take() {
        if source[index] == UInt8(ascii: "\n") { return takeLineEnd() }
        bytes.append(source[index])
        index += 1
    }

    private mutating func takeLineEnd() {
        bytes.append(UInt8(ascii: "\n"))
        comments.append(UInt8(ascii: "\n"))
        texts.append(UInt8(ascii: "\n"))
        index += 1
    }

    private mutating func skipLine() {
        while index < source.count, source[index] != UInt8(ascii: "\n") {
            comments.append(source[index])
            index += 1
        }
        bytes.append(UInt8(ascii: " "))
    }

    /// Comments between `/*` and `*/` may stand in one another.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if begins("/*", at: index) {
                depth += 1
                index += 2
            } else if begins("*/", at: index) {
                depth -= 1
                index += 2
            } else if source[index] == UInt8(ascii: "\n") {
                takeLineEnd()
            } else {
                comments.append(source[index])
                index += 1
            }
        } while depth > 0 && index < source.count
        bytes.append(UInt8(ascii: " "))
    }

    private mutating func countBracket(_ change: Int) {
        guard case .interpolation(let openCount) = modes.last else { return take() }
        modes.removeLast()
        if openCount + change > 0 {
            modes.append(.interpolation(openCount: openCount + change))
            take()
        } else {
            index += 1
            bytes.append(UInt8(ascii: " "))
        }
    }

    /// Begins a text, or takes the `#` of something else.
    private mutating func openText() {
        let poundCount = source[index...].prefix { $0 == UInt8(ascii: "#") }.count
        guard begins("\"", at: index + poundCount) else { return take() }
        // Three quotes are a long text only at the end of a line: `#"""#` is a quote.
        let isLong = begins("\"\"\"\n", at: index + poundCount)
        index += poundCount + (isLong ? 3 : 1)
        modes.append(.text(poundCount: poundCount, isLong: isLong))
        bytes.append(UInt8(ascii: " "))
        texts.append(UInt8(ascii: " "))
    }

    private mutating func skipText(_ poundCount: Int, _ isLong: Bool) {
        guard Self.endsOrEscapes(source[index]) else {
            texts.append(source[index])
            index += 1
            return
        }
        let pounds = String(repeating: "#", count: poundCount)
        let end = (isLong ? "\"\"\"" : "\"") + pounds
        switch source[index] {
        case UInt8(ascii: "\\") where begins("\\\(pounds)(", at: index):
            index += poundCount + 2
            modes.append(.interpolation(openCount: 1))
            bytes.append(UInt8(ascii: " "))
            texts.append(UInt8(ascii: " "))
        // What is escaped ends nothing.
        case UInt8(ascii: "\\") where begins("\\\(pounds)", at: index):
            index += poundCount + 1
            texts.append(UInt8(ascii: " "))
            if source[index...].first == UInt8(ascii: "\n") { takeLineEnd() } else { index += 1 }
        case UInt8(ascii: "\"") where begins(end, at: index):
            index += end.utf8.count
            modes.removeLast()
        case UInt8(ascii: "\n"):
            take()
            // No text of one line goes further, whatever was misread in it.
            if !isLong { modes.removeLast() }
        default: index += 1
        }
    }

    private static func endsOrEscapes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\n")
    }
}
