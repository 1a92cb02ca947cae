/// Writes canonical JSON: sorted members, no white space, shortest escapes (RFC 8259 §7), so the same value
/// always has the same bytes.
public struct JSONWriter: ~Copyable {
    private var written: ByteBuilder

    /// - Parameter reserving: How many bytes to make room for at first, 0 or more; it grows where they are not enough.
    public init(reserving byteCount: Int = 256) { written = ByteBuilder(reserving: byteCount) }

    /// A copy of what was written so far.
    public var bytes: [UInt8] { written.array }

    /// Lends what was written so far.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try written.withBytes(body)
    }

    /// Begins anew in the same memory.
    mutating func removeAll() { written.removeAll() }

    /// Appends a value in canonical form; a `number` as the text that it came with.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let flag): raw(flag ? "true" : "false")
        case .integer(let number): integer(number)
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let values):
            character("[")
            for index in values.indices {
                if index > 0 { character(",") }
                write(values[index])
            }
            character("]")
        case .object(let object): write(object)
        }
    }

    /// Appends an object in canonical form.
    public mutating func write(_ object: JSONObject) {
        character("{")
        for index in object.members.indices {
            if index > 0 { character(",") }
            string(object.members[index].name)
            character(":")
            write(object.members[index].value)
        }
        character("}")
    }

    /// Appends text that is already JSON.
    public mutating func raw(_ text: String) {
        var text = text
        text.withUTF8 { written.append($0) }
    }

    /// Appends one character of ASCII.
    @inline(__always)
    mutating func character(_ character: Unicode.Scalar) {
        written.append(UInt8(ascii: character))
    }

    /// Appends a number.
    mutating func integer(_ number: Int64) {
        if number < 0 { character("-") }
        // At most 19 digits, the last one first.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number.magnitude
            var start = digits.count
            repeat {
                start -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            written.append(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends the name of a member that needs no escape, and its colon.
    mutating func name(_ name: StaticString) {
        character("\"")
        // A static text lies in the program itself.
        written.append(
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        character("\"")
        character(":")
    }

    /// Appends text in quotes; what needs no escape is copied in runs.
    public mutating func string(_ text: String) {
        var text = text
        character("\"")
        text.withUTF8 { utf8 in
            var start = 0
            if utf8.contains(word: Self.needsEscape, byte: Self.needsEscape) {
                for index in 0..<utf8.count where Self.needsEscape(utf8[index]) {
                    written.append(UnsafeBufferPointer(rebasing: utf8[start..<index]))
                    escape(utf8[index])
                    start = index + 1
                }
            }
            written.append(UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        character("\"")
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func needsEscape(_ word: UInt64) -> Bool {
        ByteWords.holds(word, below: 0x20) || ByteWords.holds(word, UInt8(ascii: "\""))
            || ByteWords.holds(word, UInt8(ascii: "\\"))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x08: raw("\\b")
        case 0x09: raw("\\t")
        case 0x0A: raw("\\n")
        case 0x0C: raw("\\f")
        case 0x0D: raw("\\r")
        default:
            raw("\\u00")
            written.append(Self.hexDigits[Int(byte >> 4)])
            written.append(Self.hexDigits[Int(byte & 15)])
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

extension JSONValue {
    /// The canonical bytes.
    public var canonicalBytes: [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.write(self)
        return writer.bytes
    }

    /// The canonical bytes as text.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}

extension JSONObject {
    /// The canonical bytes.
    public var canonicalBytes: [UInt8] { JSONValue.object(self).canonicalBytes }
}
