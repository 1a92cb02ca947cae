/// Small values as bits of the flags column: 0 absent, all ones "kept in the JSON".
enum FlagBits {
    /// - Returns: The bits, and whether they say everything (else the value also stays in the JSON).
    static func encode(
        _ value: JSONValue, _ kind: EventFieldKind, width: UInt8
    ) -> (bits: UInt16, isExact: Bool) {
        switch kind {
        case .bool: return (value.bool == true ? 2 : 1, true)
        case .word(let words):
            guard let number = number(of: value, in: words) else {
                return (UInt16((1 << Int(width)) - 1), false)
            }
            let isExact = haveSameBytes(value.text, words[Int(number) - 1].name)
            return (number, isExact)
        case .integer: return (UInt16(truncatingIfNeeded: (value.integer ?? 0) + 1), true)
        default: return (1, false)
        }
    }

    static func decode(_ bits: UInt16, _ kind: EventFieldKind) -> JSONValue? {
        guard bits != 0 else { return nil }
        switch kind {
        case .bool: return .bool(bits == 2)
        case .word(let words): return words.count >= bits ? .string(words[Int(bits) - 1].name) : nil
        case .integer: return .integer(Int64(bits) - 1)
        default: return nil
        }
    }

    /// The place of a word in its list, from 1 on, under whatever spelling; `nil` for one that is not in the list.
    static func number(of value: JSONValue, in words: [EventWord]) -> UInt16? {
        guard let given = value.text ?? value.integer.map({ String($0) }) else { return nil }
        return words.firstIndex { word in
            haveSameBytes(word.name, given)
                || word.spellings.contains { haveSameBytes($0, given) }
        }.map { UInt16($0 + 1) }
    }
}
