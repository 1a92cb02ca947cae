import Daybook
import DaybookEvents

/// What a request says beside its path: the parameters of its query, and the members of its body's object.
///
/// Each is read by its name. `finish` refuses what was not read: a misspelt name would otherwise be ignored, and with
/// it what was meant.
package struct RequestFields: Sendable {
    private enum Value: Sendable {
        case parameter(String)
        case member(JSONValue)
    }

    private var values: [String: Value] = [:]
    private var read: Set<String> = []

    /// - Parameters:
    ///   - query: As it stands in the URL.
    ///   - body: The object that was sent; `nil`: none was.
    /// - Throws: `Problem` for a query that cannot be decoded, and for a name that is there twice.
    init(query: String?, body: JSONObject?) throws {
        for (name, value) in try QueryText.parameters(query ?? "") {
            try insert(name, .parameter(value))
        }
        for member in body?.members ?? [] { try insert(member.name, .member(member.value)) }
    }

    /// Takes the fields of an HTML form in (`application/x-www-form-urlencoded`).
    mutating func insert(form bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem.badRequest("bad_form", "the form is no UTF-8")
        }
        for (name, value) in try QueryText.parameters(text) {
            try insert(name, .parameter(value))
        }
    }

    /// Leaves out parameters without a value: a browser sends the fields of a form along that nothing was written into.
    package mutating func leaveOutEmpty() {
        for (name, value) in values {
            if case .parameter("") = value { values[name] = .member(.null) }
        }
    }

    /// The parameters of these names that have a value, in this order.
    package func given(_ names: [String]) -> [(String, String)] {
        names.compactMap { name in
            guard case .parameter(let text)? = values[name] else { return nil }
            return (name, text)
        }
    }

    private mutating func insert(_ name: String, _ value: Value) throws {
        try Problem.require(
            values.updateValue(value, forKey: name) == nil, as: .badRequest, "duplicate_member",
            "\"\(name)\" is there more than once; send one")
    }

    /// - Throws: `Problem` for a name that no reader asked for.
    package func finish() throws {
        if values.isEmpty { return }
        let unknown = Set(values.keys).subtracting(read).sorted(by: precedesInBytes)
        guard let first = unknown.first else { return }
        let hint = NearestName.hint(first, among: read)
        var problem = Problem.unprocessable(
            "unknown_member",
            "\"\(ShownText.escaped(first))\" is none of what this route reads\(hint)")
        problem.members["names"] = .texts(read.sorted(by: precedesInBytes))
        throw problem
    }

    // MARK: Values

    private mutating func value(_ name: String) -> Value? {
        // Where nothing was sent, nothing is misspelt.
        if values.isEmpty { return nil }
        read.insert(name)
        switch values[name] {
        case .member(.null)?, nil: return nil
        case let value?: return value
        }
    }

    /// `nil`: it is not there, or `null`.
    package mutating func text(_ name: String) throws -> String? {
        switch value(name) {
        case nil: nil
        case .parameter(let text)?, .member(.string(let text))?: text
        case .member(let other)?: throw Self.wrong(name, "text", other)
        }
    }

    mutating func neededText(_ name: String) throws -> String {
        try Self.needed(name, try text(name))
    }

    package mutating func integer(_ name: String) throws -> Int64? {
        switch value(name) {
        case nil: return nil
        case .member(.integer(let number))?: return number
        case .parameter(let text)?:
            guard let number = Int64(text) else {
                throw Problem.unprocessable(
                    "wrong_kind", "\"\(name)\" is no whole number: \(ShownText.escaped(text))")
            }
            return number
        case .member(let other)?: throw Self.wrong(name, "a whole number", other)
        }
    }

    package mutating func flag(_ name: String) throws -> Bool? {
        switch value(name) {
        case nil: return nil
        case .member(.bool(let flag))?: return flag
        case .parameter("true")?: return true
        case .parameter("false")?: return false
        case .parameter?:
            throw Problem.unprocessable("wrong_kind", "\"\(name)\" is neither true nor false")
        case .member(let other)?: throw Self.wrong(name, "true or false", other)
        }
    }

    /// Several texts: an array, or of a query one text with commas.
    mutating func texts(_ name: String) throws -> [String]? {
        switch value(name) {
        case nil: return nil
        case .parameter(let text)?:
            return text.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
        case .member(.array(let values))?:
            return try values.map { value in
                guard let text = value.text else {
                    throw Self.wrong(name, "a list of texts", value)
                }
                return text
            }
        case .member(let other)?: throw Self.wrong(name, "a list of texts", other)
        }
    }

    mutating func object(_ name: String) throws -> JSONObject? {
        switch value(name) {
        case nil: nil
        case .member(.object(let object))?: object
        case .member(let other)?: throw Self.wrong(name, "an object", other)
        case .parameter?:
            throw Problem.unprocessable("wrong_kind", "\"\(name)\" goes into the body")
        }
    }

    mutating func array(_ name: String) throws -> [JSONValue]? {
        switch value(name) {
        case nil: nil
        case .member(.array(let values))?: values
        case .member(let other)?: throw Self.wrong(name, "an array", other)
        case .parameter?:
            throw Problem.unprocessable("wrong_kind", "\"\(name)\" goes into the body")
        }
    }

    /// - Throws: `Problem` where a value that there must be is missing.
    static func needed<Value>(_ name: String, _ value: Value?) throws -> Value {
        if let value { return value }
        throw Problem.unprocessable("missing_member", "\"\(name)\" is missing")
    }

    private static func wrong(_ name: String, _ expected: String, _ found: JSONValue) -> Problem {
        Problem.unprocessable("wrong_kind", "\"\(name)\" is \(found.kindName), not \(expected)")
    }
}
