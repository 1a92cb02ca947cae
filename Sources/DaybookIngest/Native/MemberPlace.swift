import DaybookEvents

/// Finds where a member of an event stands in its line, for messages.
public enum MemberPlace {
    /// The column at which a member's name begins, 1-based, in bytes.
    ///
    /// A member that is missing has no place: then it is that of the innermost object that should hold it, and 1 where
    /// that is the event itself.
    /// - Parameters:
    ///   - path: As in `EventProblem.member`: `data.amount`, `source.key`, `data.items[1].product`; an item of a list
    ///     is counted from 0 and stands where its value begins, and what stands in the envelope itself may be called
    ///     `event.email`.
    ///   - line: JSON that can be read; anything else gives 1.
    public static func column(of path: String, in line: some Collection<UInt8>) -> Int {
        var steps = path.split(separator: ".").flatMap(Step.steps)
        if steps.first == .member(Array("event".utf8)) { steps.removeFirst() }
        var reader = Reader(bytes: Array(line))
        if let place = reader.place(of: steps) { return place.column }
        // Members of the source are reported by their own names.
        let inner =
            steps.count == 1 ? reader.place(of: [.member(Array("source".utf8))] + steps) : nil
        return inner.flatMap { $0.isWhole ? $0.column : nil } ?? 1
    }

    /// The same for names that may have points in them, the outermost first.
    /// - Returns: 1 where not even the first is there.
    static func column(ofNested names: [String], in line: some Collection<UInt8>) -> Int {
        var reader = Reader(bytes: Array(line))
        return reader.place(of: names.map { .member(Array($0.utf8)) })?.column ?? 1
    }

    /// One step down a path.
    private enum Step: Equatable {
        case member([UInt8])
        /// 0-based.
        case item(Int)

        /// Of `refs[2]` the member, then the item.
        static func steps(_ part: Substring) -> [Step] {
            let name = part.prefix { $0 != "[" }
            let items = part.dropFirst(name.count).split { $0 == "[" || $0 == "]" }
            return [.member(Array(name.utf8))] + items.compactMap { Int($0).map(Step.item) }
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        private var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

        /// The last of nested members and items that is there, and whether that is all of them; `nil` when not even the
        /// first is.
        mutating func place(of steps: [Step]) -> (column: Int, isWhole: Bool)? {
            index = 0
            var found: Int?
            for step in steps {
                let column =
                    switch step {
                    case .member(let name): enter(name)
                    case .item(let count): enter(item: count)
                    }
                guard let column else { return found.map { ($0, false) } }
                found = column
            }
            return found.map { ($0, true) }
        }

        /// Moves to the beginning of an item of the list that begins here; one that holds nothing is no place, as
        /// nothing could be missing from it.
        private mutating func enter(item count: Int) -> Int? {
            skipSpace()
            guard byte == UInt8(ascii: "[") else { return nil }
            index += 1
            for _ in 0..<count {
                skipValue()
                guard byte == UInt8(ascii: ",") else { return nil }
                index += 1
            }
            skipSpace()
            guard byte == UInt8(ascii: "{") else { return nil }
            return index + 1
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
