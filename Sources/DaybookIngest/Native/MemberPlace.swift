import DaybookEvents

/// Finds where a member of an event stands in its line, for messages.
public enum MemberPlace {
    /// The column at which a member's name begins, 1-based, in bytes.
    ///
    /// A member that is missing has no place: then it is that of the innermost object that should hold it, and 1 where
    /// that is the event itself.
    /// - Parameters:
    ///   - path: As in `EventProblem.member`: `data.amount`, `source.key`; the place of `data.refs[2].name` is that of
    ///     `refs`, and what stands in the envelope itself may be called `event.email`.
    ///   - line: JSON that can be read; anything else gives 1.
    public static func column(of path: String, in line: some Collection<UInt8>) -> Int {
        var names = path.split(separator: ".").map { Array($0.prefix { $0 != "[" }.utf8) }
        if names.first == Array("event".utf8) { names.removeFirst() }
        var reader = Reader(bytes: Array(line))
        if let place = reader.place(of: names) { return place.column }
        // Members of the source are reported by their own names.
        let inner = names.count == 1 ? reader.place(of: [Array("source".utf8)] + names) : nil
        return inner.flatMap { $0.isWhole ? $0.column : nil } ?? 1
    }

    private struct Reader {
        let bytes: [UInt8]
        private var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

        /// The last of nested names that is there, and whether that is all of them; `nil` when not even the first is.
        mutating func place(of names: [[UInt8]]) -> (column: Int, isWhole: Bool)? {
            index = 0
            var found: Int?
            for name in names {
                guard let column = enter(name) else { return found.map { ($0, false) } }
                found = column
            }
            return found.map { ($0, true) }
        }

        /// Moves behind the colon of a member of the object that begins here.
        private mutating func enter(_ name: [UInt8]) -> Int? {
            skipSpace()
            guard byte == UInt8(ascii: "{") else { return nil }
            index += 1
            while true {
                skipSpace()
                let start = index
                guard byte == UInt8(ascii: "\"") else { return nil }
                skipString()
                let isFound = name.elementsEqual(
                    bytes[start..<min(index, bytes.count)].dropFirst().dropLast())
                skipSpace()
                guard byte == UInt8(ascii: ":") else { return nil }
                index += 1
                if isFound { return start + 1 }
                skipValue()
                skipSpace()
                guard byte == UInt8(ascii: ",") else { return nil }
                index += 1
            }
        }

        private mutating func skipSpace() {
            while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                index += 1
            }
        }

        private mutating func skipString() {
            index += 1
            while let byte, byte != UInt8(ascii: "\"") {
                index += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            index += 1
        }

        /// Up to the comma or bracket behind the value.
        private mutating func skipValue() {
            var depth = 0
            while let byte {
                switch byte {
                case UInt8(ascii: "\""):
                    skipString()
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return }
                    depth -= 1
                case UInt8(ascii: ",") where depth == 0: return
                default: break
                }
                index += 1
            }
        }
    }
}
