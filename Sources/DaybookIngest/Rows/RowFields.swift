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
    ) -> Result<[RowField], LineProblem> {
        if let problem = line.problemOfLength { return .failure(problem) }
        var bytes = line.bytes[...]
        if bytes.last == 0x0D { bytes.removeLast() }
        func problem(_ column: Int, _ reason: String) -> Result<[RowField], LineProblem> {
            .failure(
                LineProblem(
                    line: line.number, column: column, code: "bad_row", reason: reason,
                    bytes: line.bytes))
        }
        guard let byte = separator.byte else { return spaced(bytes, problem) }
        var fields: [RowField] = []
        var start = bytes.startIndex
        while true {
            var content: [UInt8] = []
            var end = start
            if end < bytes.endIndex, bytes[end] == quote {
                end += 1
                while true {
                    guard let next = bytes[end...].firstIndex(of: quote) else {
                        return problem(start + 1, "the quoted field does not end")
                    }
                    content += bytes[end..<next]
                    end = next + 1
                    // Two quotes are one that stands for itself.
                    guard end < bytes.endIndex, bytes[end] == quote else { break }
                    content.append(quote)
                    end += 1
                }
                guard end == bytes.endIndex || bytes[end] == byte else {
                    return problem(end + 1, "something follows the field's closing quote")
                }
            } else {
                end = bytes[start...].firstIndex(of: byte) ?? bytes.endIndex
                content = Array(bytes[start..<end])
                if let place = content.firstIndex(of: quote) {
                    return problem(
                        start + place + 1,
                        "a field with quotes in it is quoted as a whole, and they are doubled")
                }
            }
            guard let text = String(validating: content, as: UTF8.self) else {
                return problem(start + 1, "the field is not UTF-8")
            }
            fields.append(RowField(text: text, column: start + 1))
            guard end < bytes.endIndex else { return .success(fields) }
            start = end + 1
        }
    }

    private static func spaced(
        _ bytes: ArraySlice<UInt8>, _ problem: (Int, String) -> Result<[RowField], LineProblem>
    ) -> Result<[RowField], LineProblem> {
        var fields: [RowField] = []
        for part in bytes.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
            guard let text = String(validating: part, as: UTF8.self) else {
                return problem(part.startIndex + 1, "the field is not UTF-8")
            }
            fields.append(RowField(text: text, column: part.startIndex + 1))
        }
        return .success(fields)
    }
}
