/// What a ledger that never forgets must not hold: names and texts of people (DZ-41), and ids that name nobody (E52).
public enum PersonalData {
    /// Names that mean nobody (E52).
    private static let junkSubjects: Set<String> = [
        "null", "(null)", "nil", "undefined", "none", "unknown", "guest", "anonymous", "user",
        "0", "-1", "nan", "true", "false", "[object object]",
    ]

    /// Members that carry what must not be kept (DZ-41), compared without case, `_` and `-`.
    private static let personalMembers: Set<String> = [
        "childname", "kidname", "babyname", "puppyname", "dogname", "petname", "profilename",
        "firstname", "lastname", "fullname", "email", "emailaddress", "phone", "phonenumber",
        "address", "birthday", "birthdate", "dateofbirth", "storytext", "storycontent",
        "storybody", "storytitle", "prompt",
    ]

    /// Checks that an id names a customer, and does not name him to everybody.
    /// - Parameter place: The member, for the message.
    public static func checkCustomer(_ name: String, _ place: String) throws(EventProblem) {
        if name.isEmpty || junkSubjects.contains(name.lowercased()) {
            throw EventProblem(
                .junkSubject, place, "\"\(name)\" is no customer; send your own id")
        }
        if name.utf8.contains(UInt8(ascii: "@")) {
            throw EventProblem(
                .personalDataForbidden, place, "looks like an e-mail address; send an id")
        }
    }

    static func check(_ value: JSONValue, at path: String) throws(EventProblem) {
        switch value {
        case .object(let object):
            for member in object.members {
                let place = "\(path).\(member.name.excerpt)"
                if isPersonal(member.name) {
                    throw EventProblem(
                        .personalDataForbidden, place,
                        "names and texts of people are never stored; send an id")
                }
                try check(member.value, at: place)
            }
        case .array(let values):
            for (index, element) in values.enumerated() {
                try check(element, at: "\(path)[\(index)]")
            }
        case .string(let text) where isFreeText(text):
            throw EventProblem(
                .personalDataForbidden, path,
                "free text of more than \(EventBounds.freeTextScalarCountMax) characters")
        default: break
        }
    }

    private static func isPersonal(_ member: String) -> Bool {
        personalMembers.contains(member.lowercased().filter { $0 != "_" && $0 != "-" })
    }

    private static func isFreeText(_ text: String) -> Bool {
        text.unicodeScalars.count > EventBounds.freeTextScalarCountMax
    }

    /// What is left of somebody else's payload when everything is taken out that an event must not hold, and every
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
