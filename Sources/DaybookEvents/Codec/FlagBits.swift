/// Small values as bits of the flags column: 0 absent, all ones "kept in the JSON".
enum FlagBits {
    /// - Returns: The bits, and whether they say everything (else the value also stays in the JSON).
    static func encode(
        _ value: JSONValue, _ kind: EventFieldKind, width: UInt8
    ) -> (bits: UInt16, isExact: Bool) {
        switch kind {
        case .bool: return (value.bool == true ? 2 : 1, true)
        case .word(let words):
            let (number, isExact) = encode(value, words)
            return (number > words.count ? (1 << UInt16(width)) - 1 : number, isExact)
        case .integer:
            // The bounds of fields keep to the width; what was never checked stays in the JSON.
            let number = (value.integer ?? 0).addingReportingOverflow(1)
            let isFitting =
                !number.overflow && (1..<1 << Int64(width)).contains(number.partialValue)
            return isFitting
                ? (UInt16(number.partialValue), true) : ((1 << UInt16(width)) - 1, false)
        default: return (1, false)
        }
    }

    static func decode(_ bits: UInt16, _ kind: EventFieldKind) -> JSONValue? {
        guard bits != 0 else { return nil }
        switch kind {
        case .bool: return .bool(bits == 2)
        case .word(let words): return word(Int64(bits), words)
        case .integer: return .integer(Int64(bits) - 1)
        default: return nil
        }
    }

    /// The same for a word in a number of its own: from 1 on, and one more than the list is long for another word.
    static func encode(_ value: JSONValue, _ words: [EventWord]) -> (number: UInt16, isExact: Bool)
    {
        guard let number = number(of: value, in: words) else {
            return (UInt16(words.count + 1), false)
        }
        return (number, haveSameBytes(value.text, words[Int(number) - 1].name))
    }

    static func word(_ number: Int64, _ words: [EventWord]) -> JSONValue? {
        number >= 1 && number <= words.count ? .string(words[Int(number) - 1].name) : nil
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
