/// Writes canonical JSON: sorted members, no white space, shortest escapes (RFC 8259 §7), so the same value
/// always has the same bytes.
public struct JSONWriter {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// Creates a writer that has written nothing.
    public init() {}

    /// - Parameter reserving: How many bytes to reserve.
    public init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// Begins anew in the same memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a value in canonical form; a `number` as the text that it came with.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let flag): raw(flag ? "true" : "false")
        case .integer(let number): integer(number)
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): write(object)
        }
    }

    /// Appends an object in canonical form.
    public mutating func write(_ object: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(member.name)
            bytes.append(UInt8(ascii: ":"))
            write(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends text that is already JSON.
    public mutating func raw(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends one character of ASCII.
    mutating func character(_ character: Unicode.Scalar) {
        bytes.append(UInt8(ascii: character))
    }

    /// Appends a number.
    mutating func integer(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
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
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends the name of a member that needs no escape, and its colon.
    mutating func name(_ name: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        // A static text lies in the program itself.
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends text in quotes; what needs no escape is copied in runs.
    public mutating func string(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            var start = 0
            if utf8.contains(word: Self.needsEscape, byte: Self.needsEscape) {
                for index in 0..<utf8.count where Self.needsEscape(utf8[index]) {
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                    escape(utf8[index])
                    start = index + 1
                }
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
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
            bytes.append(Self.hexDigits[Int(byte >> 4)])
            bytes.append(Self.hexDigits[Int(byte & 15)])
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
