/// Checks a draft against the vocabulary, the bounds of rule 30 and the ban on personal data, and brings it into
/// the canonical form: absent instead of null, the lineage named.
public enum EventValidator {
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

    /// The draft in canonical form.
    /// - Throws: `EventProblem` for the first thing that is wrong.
    public static func canonical(_ draft: EventDraft) throws(EventProblem) -> EventDraft {
        var draft = draft
        try checkPersonalData(draft)
        try checkSubject(draft.subject)
        if let schema = Vocabulary.schema(named: draft.type, version: draft.version) {
            try checkFields(&draft, schema)
            try checkKey(draft, schema.type)
            try route(&draft, schema)
        }
        if draft.source.key == nil {
            let bytes = EventJSON.object(of: draft).canonicalBytes
            draft.source.key = "sha256:" + Digest.hexadecimal(Digest.sha256(bytes).prefix(16))
        }
        if draft.trust == .debug, draft.environment == .production {
            throw EventProblem(
                .forbidden, "trust", "debug events are refused in production; use sandbox or test")
        }
        return draft
    }

    private static func checkSubject(_ subject: String?) throws(EventProblem) {
        guard let subject else { return }
        if junkSubjects.contains(subject.lowercased()) {
            throw EventProblem(
                .junkSubject, "subject", "\"\(subject)\" is no customer; send your own id")
        }
        if subject.utf8.contains(UInt8(ascii: "@")) {
            throw EventProblem(
                .personalDataForbidden, "subject", "looks like an e-mail address; send an id")
        }
    }

    private static func checkPersonalData(_ draft: EventDraft) throws(EventProblem) {
        for (root, object) in [("data", draft.data), ("event", draft.extras)] {
            try checkPersonalData(.object(object), at: root, type: draft.type)
        }
    }

    private static func checkPersonalData(
        _ value: JSONValue, at path: String, type: String
    ) throws(EventProblem) {
        switch value {
        case .object(let object):
            for member in object.members {
                let folded = member.name.lowercased().filter { $0 != "_" && $0 != "-" }
                let place = "\(path).\(member.name)"
                if personalMembers.contains(folded) {
                    throw EventProblem(
                        .personalDataForbidden, place,
                        "names and texts of people are never stored; send an id")
                }
                if type == "catalog.published", member.name == "document" { continue }
                try checkPersonalData(member.value, at: place, type: type)
            }
        case .array(let values):
            for (index, element) in values.enumerated() {
                try checkPersonalData(element, at: "\(path)[\(index)]", type: type)
            }
        case .string(let text) where text.count > EventBounds.freeTextCharacterCountMax:
            throw EventProblem(
                .personalDataForbidden, path,
                "free text of more than \(EventBounds.freeTextCharacterCountMax) characters")
        default: break
        }
    }

    private static func checkFields(
        _ draft: inout EventDraft, _ schema: EventSchema
    ) throws(EventProblem) {
        for field in schema.fields {
            let place = "data.\(field.name)"
            guard let value = draft.data.value(at: field.path), value != .null else {
                draft.data.removeNull(at: field.path)
                if field.isRequired {
                    throw EventProblem(
                        .missingField, place, "\(schema.name) needs \(field.name)")
                }
                continue
            }
            try check(value, field, place)
        }
        if !schema.oneOf.isEmpty, !schema.oneOf.contains(where: { draft.data[$0] != nil }) {
            throw EventProblem(
                .missingField, "data.\(schema.oneOf[0])",
                "\(schema.name) needs one of \(schema.oneOf.joined(separator: ", "))")
        }
    }

    private static func check(
        _ value: JSONValue, _ field: EventField, _ place: String
    ) throws(EventProblem) {
        switch field.kind {
        case .text:
            guard let text = value.text, !text.isEmpty else {
                throw EventProblem(
                    .wrongType, place, "must be text that is not empty, not \(value.kindName)")
            }
            if text.utf8.count > EventBounds.nameByteCountMax, field.name != "document" {
                throw EventProblem(
                    .tooLarge, place, "is longer than \(EventBounds.nameByteCountMax) bytes")
            }
        case .bool:
            guard value.bool != nil else {
                throw EventProblem(.wrongType, place, "must be true or false")
            }
        case .word:
            guard value.text != nil || value.integer != nil else {
                throw EventProblem(.wrongType, place, "must be a word, not \(value.kindName)")
            }
        case .any: break
        case .integer, .amount, .money, .time: try checkNumber(value, field, place)
        }
    }

    private static func checkNumber(
        _ value: JSONValue, _ field: EventField, _ place: String
    ) throws(EventProblem) {
        guard let number = value.integer else {
            throw EventProblem(.wrongType, place, "must be an integer, not \(value.kindName)")
        }
        let bound: Int64
        switch field.kind {
        case .amount: bound = EventBounds.amountMax
        case .money: bound = EventBounds.moneyMilliMax
        // The fixed-size event keeps amounts in 32 bits.
        default: bound = field.slot == .amount ? EventBounds.amountMax : Int64.max - 1
        }
        guard number >= -bound, number <= bound else {
            throw EventProblem(.outOfBounds, place, "\(number) is outside ±\(bound)")
        }
        if case .flags(_, let width) = field.slot, number < 0 || number >= (1 << (width - 1)) {
            throw EventProblem(
                .outOfBounds, place, "\(number) is outside 0 to \((1 << (width - 1)) - 1)")
        }
    }

    /// A report without a key may be told apart by its bytes, unless two equal ones are two facts (rule 2).
    private static func checkKey(
        _ draft: EventDraft, _ type: EventType
    ) throws(EventProblem) {
        guard draft.source.key == nil else { return }
        switch type.rawValue {
        case 20..<80 where type != .gaugePinned:
            throw EventProblem(
                .missingKey, "source.key",
                "\(draft.type) needs a key: without one two equal events would collapse")
        default: break
        }
    }

    private static func route(
        _ draft: inout EventDraft, _ schema: EventSchema
    ) throws(EventProblem) {
        if schema.field("original_transaction_id") != nil, draft.data["store"]?.text == "apple" {
            draft.data["store"] = nil
        }
        let isLine = EventRouter.kind(of: draft, schema) == .line
        if isLine, draft.data["original_transaction_id"] == nil {
            guard let transaction = draft.data["transaction_id"] else {
                throw EventProblem(
                    .missingField, "data.original_transaction_id",
                    "\(schema.name) needs original_transaction_id to know its subscription")
            }
            draft.data["original_transaction_id"] = transaction
        }
        let needsSubject = schema.routing == .customer || (schema.routing == .purchase && !isLine)
        if needsSubject, draft.subject == nil {
            throw EventProblem(.missingSubject, "subject", "\(schema.name) needs a subject")
        }
    }
}

extension JSONObject {
    /// The value at a path of one or two names.
    public func value(at path: [String]) -> JSONValue? {
        guard let first = path.first, let value = self[first] else { return nil }
        return path.count == 1 ? value : value.object?.value(at: Array(path.dropFirst()))
    }

    mutating func removeNull(at path: [String]) {
        guard let first = path.first, let value = self[first] else { return }
        if path.count == 1 {
            if value == .null { self[first] = nil }
        } else if var inner = value.object {
            inner.removeNull(at: Array(path.dropFirst()))
            self[first] = .object(inner)
        } else if value == .null {
            self[first] = nil
        }
    }

    mutating func set(_ value: JSONValue, at path: [String]) {
        guard let first = path.first else { return }
        if path.count == 1 {
            self[first] = value
        } else {
            var inner = self[first]?.object ?? JSONObject()
            inner.set(value, at: Array(path.dropFirst()))
            self[first] = .object(inner)
        }
    }

    /// Removes the value at a path, and the object around it when that leaves it empty.
    mutating func remove(at path: [String]) {
        guard let first = path.first else { return }
        if path.count == 1 {
            self[first] = nil
        } else if var inner = self[first]?.object {
            inner.remove(at: Array(path.dropFirst()))
            self[first] = inner.isEmpty ? nil : .object(inner)
        }
    }
}
