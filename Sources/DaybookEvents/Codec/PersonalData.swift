/// What a permanent record must not hold: names and texts of people (DZ-41), and IDs that name no customer (E52).
public enum PersonalData {
    /// IDs that mean no customer (E52): what a program prints for a value that is not there, and what apps send for a
    /// user who has not signed in. RevenueCat, Amplitude and PostHog refuse most of them, too. `test` is none: it
    /// is mostly one tester.
    private static let junkSubjects: Set<String> = [
        "null", "(null)", "nil", "optional(nil)", "undefined", "(undefined)", "none", "unknown",
        "unidentified", "guest", "anonymous", "user", "no_user", "distinct_id", "n/a", "-1", "nan",
        "true", "false", "[]", "{}", "[object object]", "020000000000",
    ]
    /// Longer ones, which many devices have: the address that iOS gives in place of the network card's, and the id of
    /// emulators and of phones of one maker.
    private static let sharedIDs: Set<String> = [
        "02:00:00:00:00:00", "9774d56d682e549c",
    ]

    /// Members that carry what must not be kept (DZ-41), compared without case, `_` and `-`.
    private static let personalMembers: Set<String> = [
        "childname", "kidname", "babyname", "puppyname", "dogname", "petname", "profilename",
        "firstname", "lastname", "fullname", "email", "emailaddress", "phone", "phonenumber",
        "address", "birthday", "birthdate", "dateofbirth", "storytext", "storycontent",
        "storybody", "storytitle", "prompt",
    ]

    /// Checks that an ID names one customer, and is no e-mail address.
    /// - Parameter place: The member, for the message.
    public static func checkCustomer(_ name: String, _ place: String) throws(EventProblem) {
        try EventProblem.require(
            !namesNoCustomer(name), .junkSubject, place,
            "\"\(name)\" is no customer; send your own id")
        try checkAddress(name, place)
    }

    /// Whether an ID is empty, or one that broken clients send for all customers.
    public static func namesNoCustomer(_ name: String) -> Bool { name.isEmpty || isJunk(name) }

    /// Checks that an id is no address.
    static func checkAddress(_ name: String, _ place: String) throws(EventProblem) {
        try EventProblem.require(
            !hasAt(name), .personalDataForbidden, place,
            "looks like an e-mail address; send an id")
    }

    private static func hasAt(_ name: String) -> Bool {
        var name = name
        let at = UInt8(ascii: "@")
        return name.withUTF8 { utf8 in
            utf8.contains(word: { ByteWords.holds($0, at) }, byte: { $0 == at })
        }
    }

    /// - Parameter path: Where the object stands, written only into a refusal.
    static func check(
        _ object: JSONObject, at path: @autoclosure () -> String
    ) throws(EventProblem) {
        for index in object.members.indices {
            let member = object.members[index]
            if isPersonal(member.name) {
                throw EventProblem(
                    .personalDataForbidden, "\(path()).\(member.name.excerpt)",
                    "names and texts of people are never stored; send an id")
            }
            try check(member.value, at: "\(path()).\(member.name.excerpt)")
        }
    }

    private static func check(
        _ value: JSONValue, at path: @autoclosure () -> String
    ) throws(EventProblem) {
        switch value {
        case .object(let object): try check(object, at: path())
        case .array(let values):
            for (index, element) in values.enumerated() {
                try check(element, at: "\(path())[\(index)]")
            }
        case .string(let text) where isFreeText(text):
            throw EventProblem(
                .personalDataForbidden, path(),
                "free text of more than \(EventBounds.freeTextScalarCountMax) characters")
        default: break
        }
    }

    /// The names of both lists have at most so many bytes, so that a reference holds them.
    private static let longestName = 15
    private static let junkReferences = junkSubjects.map { Reference($0) }
    private static let personalReferences = personalMembers.map { Reference($0) }

    private static func isJunk(_ name: String) -> Bool {
        if isBareJunk(name) { return true }
        // Nearly every id begins and ends with a letter or a digit, and there is nothing to take away.
        if let first = name.utf8.first, let last = name.utf8.last,
            isPlain(Unicode.Scalar(first)), isPlain(Unicode.Scalar(last))
        {
            return false
        }
        let bare = unwrapped(name)
        return bare.utf8.count < name.utf8.count && (bare.isEmpty || isBareJunk(bare[...]))
    }

    /// A name without what programs print around a value: white space, quotes, brackets, `Optional(…)`.
    private static func unwrapped(_ name: String) -> Substring {
        var rest = name[...]
        while let first = rest.unicodeScalars.first, let last = rest.unicodeScalars.last,
            !isPlain(first) || !isPlain(last)
        {
            if rest.utf8.count > optional.utf8.count, last == ")",
                rest.prefix(optional.utf8.count).lowercased() == optional
            {
                rest = rest.dropFirst(optional.utf8.count).dropLast()
                continue
            }
            let before = rest.utf8.count
            if isWrapping(first) { rest = Substring(rest.unicodeScalars.dropFirst()) }
            if let last = rest.unicodeScalars.last, isWrapping(last) {
                rest = Substring(rest.unicodeScalars.dropLast())
            }
            if rest.utf8.count == before { break }
        }
        return rest
    }

    private static let optional = "optional("

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "a"..."z", "A"..."Z": true
        default: false
        }
    }

    private static func isWrapping(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "'", "`", "<", ">", "{", "}", "(", ")", "[", "]", ",", ";": true
        default:
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
                || scalar.properties.generalCategory == .control
        }
    }

    private static func isBareJunk(_ name: Substring) -> Bool { isBareJunk(String(name)) }

    /// The first letters of IDs that mean no customer, in lower case, and what else such an ID begins with, a bit each.
    private static let junkInitials = junkSubjects.union(sharedIDs).union(["0", "-", "f"]).reduce(
        into: (low: UInt64(0), high: UInt64(0))
    ) { bits, name in
        guard let byte = name.utf8.first else { return }
        if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
    }

    /// What most ids are not, told by their first byte.
    private static func mayBeJunk(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        if first >= 0x80 { return true }
        let byte = first &- UInt8(ascii: "A") < 26 ? first | 0x20 : first
        return
            (byte < 64 ? junkInitials.low >> UInt64(byte) : junkInitials.high >> UInt64(byte - 64))
            & 1 == 1
    }

    private static func isBareJunk(_ name: String) -> Bool {
        guard mayBeJunk(name) else { return false }
        if isZero(name) || isFull(name) { return true }
        switch folded(name, passingOver: nil) {
        case .short(let plain): return junkReferences.contains(plain)
        case .long: return mayBeShared(name) && sharedIDs.contains(name.lowercased())
        case .notASCII: return junkSubjects.contains(name.lowercased())
        }
    }

    /// Nothing but zeros and what stands between them: a zeroed advertising id (iOS without permission to track), UUID
    /// (RFC 9562 §5.9), IMEI, address of a network card, pointer or counter.
    private static func isZero(_ name: String) -> Bool {
        guard let first = name.utf8.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "-")
        else { return false }
        let digits = name.utf8.starts(with: "0x".utf8) ? name.utf8.dropFirst(2) : name.utf8[...]
        return digits.allSatisfy { $0 == UInt8(ascii: "0") || isSeparator($0) }
    }

    /// Nothing but ones: the UUID (RFC 9562 §5.10) and the address of a network card, with and without what stands
    /// between.
    private static func isFull(_ name: String) -> Bool {
        guard let first = name.utf8.first, first | 0x20 == UInt8(ascii: "f"), name.utf8.count >= 12
        else { return false }
        return name.utf8.allSatisfy { $0 | 0x20 == UInt8(ascii: "f") || isSeparator($0) }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
    }

    /// What most ids are not, told without making a text of them.
    private static func mayBeShared(_ name: String) -> Bool {
        switch (name.utf8.count, name.utf8.first) {
        case (17, UInt8(ascii: "0")), (16, UInt8(ascii: "9")): true
        default: false
        }
    }

    /// The first letters of the members that carry what must not be kept, a bit each.
    private static let personalInitials = personalMembers.reduce(into: UInt32(0)) { bits, member in
        if let letter = member.utf8.first { bits |= 1 << UInt32(letter - UInt8(ascii: "a")) }
    }

    /// What most members are not, told by their first letter.
    private static func mayBePersonal(_ member: String) -> Bool {
        for byte in member.utf8 where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            return byte >= 0x80 || letter < 26 && personalInitials >> UInt32(letter) & 1 == 1
        }
        return false
    }

    private static func isPersonal(_ member: String) -> Bool {
        guard mayBePersonal(member) else { return false }
        return switch folded(member, passingOver: (UInt8(ascii: "_"), UInt8(ascii: "-"))) {
        case .short(let plain): personalReferences.contains(plain)
        case .long: false
        case .notASCII:
            personalMembers.contains(member.lowercased().filter { $0 != "_" && $0 != "-" })
        }
    }

    private enum Folded {
        case short(Reference)
        /// Longer than every name of the lists.
        case long
        /// Its lower case is Unicode's business.
        case notASCII
    }

    /// The text in lower case, without some bytes.
    private static func folded(_ text: String, passingOver ignored: (UInt8, UInt8)?) -> Folded {
        var text = text
        return text.withUTF8 { utf8 in
            if ignored == nil, utf8.count > longestName {
                let isASCII = !utf8.contains(
                    word: { $0 & 0x8080_8080_8080_8080 != 0 }, byte: { $0 >= 0x80 })
                return isASCII ? .long : .notASCII
            }
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longestName) { plain in
                var count = 0
                for byte in utf8 {
                    if byte >= 0x80 { return .notASCII }
                    if let ignored, byte == ignored.0 || byte == ignored.1 { continue }
                    let isUpper = byte &- UInt8(ascii: "A") < 26
                    if count < plain.count { plain[count] = isUpper ? byte | 0x20 : byte }
                    count += 1
                }
                guard count <= plain.count else { return .long }
                return .short(Reference(utf8: UnsafeBufferPointer(rebasing: plain[..<count])))
            }
        }
    }

    private static func isFreeText(_ text: String) -> Bool {
        // No text has more scalars than bytes.
        text.utf8.count > EventBounds.freeTextScalarCountMax
            && text.unicodeScalars.count > EventBounds.freeTextScalarCountMax
    }

    /// What is left of a foreign payload when everything is taken out that an event must not hold, and every
    /// text that looks like an e-mail address.
    /// - Parameters:
    ///   - path: Where the value stands.
    ///   - taken: Gets the paths of what was taken out, in document order.
    /// - Returns: `nil` where nothing may be kept.
    public static func without(
        _ value: JSONValue, at path: String, taken: inout [String]
    ) -> JSONValue? {
        switch value {
        case .object(let object):
            var kept: [JSONObject.Member] = []
            for member in object.members {
                let place = "\(path).\(member.name.excerpt)"
                if isPersonal(member.name)
                    || member.name.utf8.count > EventBounds.nameByteCountMax
                {
                    taken.append(place)
                } else if let value = without(member.value, at: place, taken: &taken) {
                    kept.append(.init(name: member.name, value: value))
                }
            }
            return .object(JSONObject(kept))
        case .array(let values):
            var kept: [JSONValue] = []
            for (index, element) in values.enumerated() {
                if let value = without(element, at: "\(path)[\(index)]", taken: &taken) {
                    kept.append(value)
                }
            }
            return .array(kept)
        case .string(let text) where isFreeText(text) || text.utf8.contains(UInt8(ascii: "@")):
            taken.append(path)
            return nil
        default: return value
        }
    }
}
