import DaybookEvents

/// One object of the file, read member by member; what is not read is reported as not carried over.
///
/// A class, because the objects of one file report into one list; it never leaves one call of the reader.
final class StoreKitNode {
    /// What is collected while a file is read.
    final class Report {
        private(set) var omissions: [StoreKitOmission] = []

        func add(_ path: String, _ reason: String) {
            omissions.append(StoreKitOmission(path: path, reason: reason))
        }
    }

    let path: String
    let report: Report
    private let object: JSONObject
    private var asked: Set<String> = []

    init(_ object: JSONObject, path: String, report: Report) {
        self.object = object
        self.path = path
        self.report = report
    }

    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> EventProblem {
        EventProblem(.wrongType, place(name), "must be \(expected), not \(value.kindName)")
    }

    /// Absent and `null` are the same.
    private func value(_ name: String) -> JSONValue? {
        asked.insert(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    /// Members that mean something to Xcode alone, such as the ids by which the file refers to itself.
    func ignore(_ names: String...) { asked.formUnion(names) }

    /// - Returns: `nil` also for an empty text, which Xcode writes for a field that was left empty.
    func text(_ name: String) throws(EventProblem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrong(name, "text", value) }
        return text.isEmpty ? nil : text
    }

    /// A decimal as text; Xcode writes prices as text.
    func decimal(_ name: String) throws(EventProblem) -> String? {
        switch value(name) {
        case nil: nil
        case .string(let text): text.isEmpty ? nil : text
        case .number(let text): text
        case .integer(let number): String(number)
        case let other?: throw wrong(name, "a decimal", other)
        }
    }

    func flag(_ name: String) throws(EventProblem) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.bool else { throw wrong(name, "true or false", value) }
        return flag
    }

    func integer(_ name: String) throws(EventProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.integer else { throw wrong(name, "an integer", value) }
        return number
    }

    func node(_ name: String) throws(EventProblem) -> StoreKitNode? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw wrong(name, "an object", value) }
        return StoreKitNode(object, path: place(name), report: report)
    }

    func nodes(_ name: String) throws(EventProblem) -> [StoreKitNode] {
        guard let value = value(name) else { return [] }
        guard let values = value.array else { throw wrong(name, "a list", value) }
        return try values.enumerated().map { (index, value) throws(EventProblem) in
            guard let object = value.object else {
                throw wrong("\(name)[\(index)]", "an object", value)
            }
            return StoreKitNode(object, path: "\(place(name))[\(index)]", report: report)
        }
    }

    /// Reports the whole object.
    func omit(_ reason: String) { report.add(path, reason) }

    /// Reports one member, unless it says nothing.
    func omit(_ name: String, _ reason: String) {
        asked.insert(name)
        guard let value = object[name], Self.saysSomething(value) else { return }
        report.add(place(name), reason)
    }

    /// Reports every member that was not read and is not empty.
    func finish(_ reason: String = "a catalog has no place for it") {
        for member in object.members where !asked.contains(member.name) {
            omit(member.name, reason)
        }
    }

    private static func saysSomething(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool(false), .integer(0), .string(""): false
        case .array(let values): values.contains(where: saysSomething)
        // Of a text without words its language is left.
        case .object(let object):
            object.members.contains { $0.name != "locale" && saysSomething($0.value) }
        default: true
        }
    }
}
