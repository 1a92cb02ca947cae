import DaybookDomain
import DaybookEvents

/// One field of a row.
struct RowField {
    /// Without its quotes.
    var text: String
    /// 1-based, in bytes, where it begins.
    var column: Int
}

/// Takes a row apart.
enum RowFields {
    private static let quote = UInt8(ascii: "\"")

    static func split(
        _ line: InputLine, by separator: ImportMap.Separator
    ) throws(LineProblem) -> [RowField] {
        if let problem = line.problemOfLength { throw problem }
        var bytes = line.bytes[...]
        if bytes.last == 0x0D { bytes.removeLast() }
        guard let byte = separator.byte else { return try spaced(bytes, line) }
        var fields: [RowField] = []
        var start = bytes.startIndex
        while true {
            var content: [UInt8] = []
            var end = start
            if end < bytes.endIndex, bytes[end] == quote {
                end += 1
                while true {
                    guard let next = bytes[end...].firstIndex(of: quote) else {
                        throw line.bad("the quoted field does not end", at: start + 1)
                    }
                    content += bytes[end..<next]
                    end = next + 1
                    // Two quotes are one that stands for itself.
                    guard end < bytes.endIndex, bytes[end] == quote else { break }
                    content.append(quote)
                    end += 1
                }
                guard end == bytes.endIndex || bytes[end] == byte else {
                    throw line.bad("something follows the field's closing quote", at: end + 1)
                }
            } else {
                end = bytes[start...].firstIndex(of: byte) ?? bytes.endIndex
                content = Array(bytes[start..<end])
                if let place = content.firstIndex(of: quote) {
                    throw line.bad(
                        "a field with quotes in it is quoted as a whole, and they are doubled",
                        at: start + place + 1)
                }
            }
            guard let text = String(validating: content, as: UTF8.self) else {
                throw line.bad("the field is not UTF-8", at: start + 1)
            }
            fields.append(RowField(text: text, column: start + 1))
            guard end < bytes.endIndex else { return fields }
            start = end + 1
        }
    }

    private static func spaced(
        _ bytes: ArraySlice<UInt8>, _ line: InputLine
    ) throws(LineProblem) -> [RowField] {
        let parts = bytes.split { $0 == 0x20 || $0 == 0x09 }
        return try parts.map { (part) throws(LineProblem) in
            guard let text = String(validating: part, as: UTF8.self) else {
                throw line.bad("the field is not UTF-8", at: part.startIndex + 1)
            }
            return RowField(text: text, column: part.startIndex + 1)
        }
    }
}

extension InputLine {
    /// What is wrong with a row.
    /// - Parameter column: 1-based, in bytes.
    func bad(_ reason: String, at column: Int = 1) -> LineProblem {
        LineProblem(line: number, column: column, code: "bad_row", reason: reason, bytes: bytes)
    }
}
