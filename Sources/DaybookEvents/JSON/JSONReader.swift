/// Why a text is no JSON that Daybook accepts, and where.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// 1-based line and 1-based column, in bytes, of the first byte that could not be read.
    public let line: Int
    /// 1-based and in bytes, within the line.
    public let column: Int
    /// What is wrong there; may quote the beginning of a member's name.
    public let reason: String

    /// Creates an error; nothing is checked.
    public init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// For messages: `line 1, column 7: expected a value`.
    public var description: String { "line \(line), column \(column): \(reason)" }
}

/// Reads strict JSON (RFC 8259): UTF-8 only, no duplicate names, nothing after the value, bounded depth.
public struct JSONReader {
    /// Deeper documents are refused; events are flat, so this is generous.
    public static let depthMax = 16

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private let firstLine: Int
    private let depthMax: Int

    private init(_ bytes: UnsafeBufferPointer<UInt8>, firstLine: Int, depthMax: Int) {
        self.bytes = bytes
        self.firstLine = firstLine
        self.depthMax = depthMax
    }

    /// Reads one value that fills the whole input.
    /// - Parameters:
    ///   - firstLine: The line number of the first byte, for messages about a line of a larger file.
    ///   - depthMax: How deep the innermost value may lie; the outermost one is at 0.
    /// - Throws: `JSONError` with the place of the first mistake.
    public static func read(
        _ bytes: [UInt8], firstLine: Int = 1, depthMax: Int = Self.depthMax
    ) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBufferPointer { buffer in
            // The pointer is only used inside this closure; the reader does not escape it.
            var reader = JSONReader(buffer, firstLine: firstLine, depthMax: depthMax)
            do throws(JSONError) {
                return .success(try reader.document())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private mutating func document() throws(JSONError) -> JSONValue {
        let value = try self.value(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw error("unexpected text after the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= depthMax else {
            throw error("nested deeper than \(depthMax) levels")
        }
        skipSpace()
        guard index < bytes.count else { throw error("the text ends where a value is expected") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        let start = index
        index += 1
        var members: [JSONObject.Member] = []
        var isAscending = true
        skipSpace()
        if take("}") { return JSONObject() }
        members.reserveCapacity(2)
        while true {
            let name = try memberName()
            if let last = members.indices.last, !precedesInBytes(members[last].name, name) {
                isAscending = false
            }
            members.append(.init(name: name, value: try value(depth: depth + 1)))
            if try endsMember() { break }
        }
        if isAscending { return JSONObject(ascending: members) }
        return JSONObject(ascending: try sorted(members, start, depth))
    }

    /// Reads a name and its colon.
    private mutating func memberName() throws(JSONError) -> String {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            throw error("expected a member name in double quotes")
        }
        let name = try string()
        skipSpace()
        guard take(":") else { throw error("expected ':' after the member name") }
        return name
    }

    /// Reads what stands behind a member; whether it was the last one.
    private mutating func endsMember() throws(JSONError) -> Bool {
        skipSpace()
        if take(",") { return false }
        guard take("}") else { throw error("expected ',' or '}'") }
        return true
    }

    /// Where a member of an object begins that was read before; reads it once more.
    private func start(
        ofMember count: Int, _ objectStart: Int, _ depth: Int
    ) throws(JSONError) -> Int {
        var again = self
        again.index = objectStart + 1
        for _ in 0..<count {
            _ = try again.memberName()
            _ = try again.value(depth: depth + 1)
            _ = try again.endsMember()
        }
        again.skipSpace()
        return again.index
    }

    /// The members in the order of their names; equal names are neighbours then, however many there are.
    /// - Parameter start: Where their object begins.
    private func sorted(
        _ members: [JSONObject.Member], _ start: Int, _ depth: Int
    ) throws(JSONError) -> [JSONObject.Member] {
        let order = members.indices.sorted { left, right in
            let (leftName, rightName) = (members[left].name, members[right].name)
            return haveSameBytes(leftName, rightName)
                ? left < right : precedesInBytes(leftName, rightName)
        }
        let repeated = zip(order, order.dropFirst())
            .filter { haveSameBytes(members[$0].name, members[$1].name) }.map(\.1).min()
        if let repeated {
            throw error(
                "the member \"\(members[repeated].name.excerpt)\" stands twice in one object",
                at: try self.start(ofMember: repeated, start, depth))
        }
        return order.map { members[$0] }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        index += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return values }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take(",") { continue }
            guard take("]") else { throw error("expected ',' or ']'") }
            return values
        }
    }

    private mutating func literal(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count,
            (0..<word.utf8CodeUnitCount).allSatisfy({ bytes[index + $0] == word.utf8Start[$0] })
        else { throw error("expected a value") }
        index = end
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        _ = take("-")
        let digitsStart = index
        digits()
        guard index > digitsStart else { throw error("expected a digit") }
        if bytes[digitsStart] == UInt8(ascii: "0"), index > digitsStart + 1 {
            index = digitsStart
            throw error("a number must not begin with 0")
        }
        var isInteger = true
        if take(".") {
            isInteger = false
            let fractionStart = index
            digits()
            guard index > fractionStart else { throw error("expected a digit after '.'") }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if !take("+") { _ = take("-") }
            let exponentStart = index
            digits()
            guard index > exponentStart else { throw error("expected a digit in the exponent") }
        }
        let isNegative = digitsStart > start
        if isInteger, !(isNegative && bytes[digitsStart] == UInt8(ascii: "0")),
            let value = integer(digitsStart..<index, isNegative: isNegative)
        {
            return .integer(value)
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// What decimal digits stand for; `nil` where that is no Int64.
    private func integer(_ places: Range<Int>, isNegative: Bool) -> Int64? {
        // Downwards: the smallest number has no opposite.
        var value: Int64 = 0
        for place in places {
            let product = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(bytes[place] - UInt8(ascii: "0"))
            let sum = product.partialValue.subtractingReportingOverflow(digit)
            if product.overflow || sum.overflow { return nil }
            value = sum.partialValue
        }
        return isNegative ? value : value == .min ? nil : -value
    }

    private mutating func digits() {
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
    }

    private mutating func string() throws(JSONError) -> String {
        index += 1
        let start = index
        var seen: UInt8 = 0
        skipPlainWords()
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20
        {
            seen |= bytes[index]
            index += 1
        }
        guard index < bytes.count else { throw error("the text ends inside a string") }
        if bytes[index] == UInt8(ascii: "\"") {
            let slice = UnsafeBufferPointer(rebasing: bytes[start..<index])
            // ASCII is valid as it is, and nearly all texts are.
            let text =
                seen < 0x80
                ? String(decoding: slice, as: UTF8.self) : try validated(slice, at: start)
            index += 1
            return text
        }
        return try escapedString(from: start)
    }

    /// Skips words of ASCII in a string that neither end it nor hold what must be looked at.
    private mutating func skipPlainWords() {
        let raw = UnsafeRawBufferPointer(bytes)
        while index <= bytes.count - 8 {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if ByteWords.holds(word, UInt8(ascii: "\""))
                || ByteWords.holds(word, UInt8(ascii: "\\"))
                || ByteWords.holds(word, below: 0x20) || word & 0x8080_8080_8080_8080 != 0
            {
                return
            }
            index += 8
        }
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var buffer = Array(bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                let text = try validated(buffer[...], at: start)
                index += 1
                return text
            case UInt8(ascii: "\\"):
                index += 1
                try escape(into: &buffer)
            case 0..<0x20: throw error("a control character must be escaped in a string")
            default:
                buffer.append(byte)
                index += 1
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        guard index < bytes.count else { throw error("the text ends inside a string") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try hexadecimal()
            if (0xD800..<0xDC00).contains(scalar) {
                guard take("\\"), take("u") else { throw error("half of a surrogate pair") }
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else {
                    throw error("half of a surrogate pair")
                }
                scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00)
            }
            guard let unicode = Unicode.Scalar(scalar) else {
                throw error("half of a surrogate pair")
            }
            buffer.append(contentsOf: String(Character(unicode)).utf8)
        default:
            index -= 1
            throw error("unknown escape")
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        guard index + 4 <= bytes.count,
            let value = UInt32(
                String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16),
            bytes[index] != UInt8(ascii: "+"), bytes[index] != UInt8(ascii: "-")
        else { throw error("expected four hexadecimal digits") }
        index += 4
        return value
    }

    private func validated(
        _ slice: some Collection<UInt8>, at start: Int
    ) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw error("a string is not valid UTF-8", at: start)
        }
        return text
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private func error(_ reason: String, at place: Int? = nil) -> JSONError {
        let end = min(place ?? index, bytes.count)
        var line = firstLine
        var lineStart = 0
        for offset in 0..<end where bytes[offset] == 0x0A {
            line += 1
            lineStart = offset + 1
        }
        return JSONError(line: line, column: end - lineStart + 1, reason: reason)
    }
}
