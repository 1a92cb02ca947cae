import DaybookDomain
import DaybookEvents
import DaybookIngest

/// The members of an app's request, by what the catalog says they are for.
struct AppCallInputs {
    private let call: AppCall
    private let values: JSONObject

    /// - Throws: `LedgerError.badInput` for a request that is not wrapped as the catalog says, and for members that it
    ///   does not name: what was meant by them would be lost.
    init(_ body: JSONObject, of call: AppCall) throws {
        self.call = call
        switch call.envelope {
        case .plain: values = body
        case .callable:
            switch body["data"] {
            case .object(let data)?: values = data
            case .null?, nil: values = JSONObject()
            case let other?:
                throw LedgerError.bad("wrong_kind", "\"data\" is \(other.kindName), not an object")
            }
        }
        let known = Set(call.members.values)
        if let other = values.members.first(where: { !known.contains($0.name) }) {
            let hint = NearestName.hint(other.name, among: known)
            throw LedgerError.bad(
                "unknown_member",
                "\"\(ShownText.escaped(other.name))\" is no member of \(call.name) that the catalog names\(hint)"
            )
        }
        for input in call.work.neededInputs where value(input) == nil {
            throw LedgerError.bad("missing_member", "\"\(call.members[input] ?? "")\" is missing")
        }
    }

    private func value(_ input: AppCall.Input) -> JSONValue? {
        guard let name = call.members[input], let value = values[name], value != .null else {
            return nil
        }
        return value
    }

    private func wrong(_ input: AppCall.Input, _ expected: String, _ found: JSONValue) -> any Error
    {
        LedgerError.bad(
            "wrong_kind", "\"\(call.members[input] ?? "")\" is \(found.kindName), not \(expected)")
    }

    func text(_ input: AppCall.Input) throws -> String? {
        guard let value = value(input) else { return nil }
        guard let text = value.text else { throw wrong(input, "text", value) }
        return text
    }

    /// A text, or the number that some apps write for it.
    func id(_ input: AppCall.Input) throws -> String? {
        if case .integer(let number)? = value(input) { return String(number) }
        return try text(input)
    }

    func integer(_ input: AppCall.Input) throws -> Int64? {
        guard let value = value(input) else { return nil }
        guard case .integer(let number) = value else { throw wrong(input, "a whole number", value) }
        return number
    }

    /// Milliseconds since 1970, or RFC 3339.
    func instant(_ input: AppCall.Input) throws -> Int64? {
        switch value(input) {
        case nil: return nil
        case .integer(let number)?:
            return try InstantText.read(String(number), call.members[input] ?? "")
        case let value?:
            guard let text = value.text else { throw wrong(input, "a time", value) }
            return try InstantText.read(text, call.members[input] ?? "")
        }
    }

    /// A signed payload, or the Base64 in which apps send bytes.
    func signed() throws -> [UInt8] {
        let text = try text(.signed) ?? ""
        let isSigned = text.utf8.count { $0 == UInt8(ascii: ".") } == 2
        return isSigned ? Array(text.utf8) : Base64.decode(text, .standard) ?? Array(text.utf8)
    }

}
