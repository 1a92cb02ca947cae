/// What a row keeps as JSON:
///
/// ```
/// {"d":{…},"e":{…},"m":{…}}
/// d   data without a slot
/// e   what else the envelope held, whatever its members are called
/// m   how to read the columns, which only this file writes:
///     "nobody": true    the customer came through the store's token; no subject was named
///     "profile": text   the envelope's profile, where the column holds that of the data
///     "sequence": 0     it was given, and is 0
///     "signed": true    `signed_at` was given, and is `occurred_at`
/// ```
/// Canonical; a part that is empty is left out, and so is the whole. Valid when it has no other member.
struct RowRest: Equatable {
    var data = JSONObject()
    var extras = JSONObject()
    var namesNoCustomer = false
    var profile: String?
    var isSequenceGiven = false
    var isSignedGiven = false

    init() {}

    /// The row's JSON; `nil` when there is nothing to keep.
    var text: String? {
        let isUnmarked = !namesNoCustomer && profile == nil && !isSequenceGiven && !isSignedGiven
        if isUnmarked, data.isEmpty, extras.isEmpty { return nil }
        var marks: [JSONObject.Member] = []
        if namesNoCustomer { marks.append(.init(name: "nobody", value: true)) }
        if let profile { marks.append(.init(name: "profile", value: .string(profile))) }
        if isSequenceGiven { marks.append(.init(name: "sequence", value: 0)) }
        if isSignedGiven { marks.append(.init(name: "signed", value: true)) }
        let parts = [("d", data), ("e", extras), ("m", JSONObject(ascending: marks))]
            .filter { !$0.1.isEmpty }
            .map { JSONObject.Member(name: $0.0, value: .object($0.1)) }
        return parts.isEmpty
            ? nil : JSONValue.object(JSONObject(ascending: parts)).canonicalText
    }

    /// - Throws: Why the JSON is none that this file writes.
    init(reading text: String?) throws(Unreadable) {
        guard let text else { return }
        let json: JSONValue
        do throws(JSONError) {
            // Members of the envelope lie one level deeper than they came.
            json = try JSONReader.read(Array(text.utf8), depthMax: JSONReader.depthMax + 2)
        } catch {
            throw Unreadable(reason: error.description)
        }
        for member in json.object?.members ?? [.init(name: "", value: json)] {
            guard let part = member.value.object else {
                throw Unreadable(reason: "\(member.value.kindName) where an object belongs")
            }
            switch member.name {
            case "d": data = part
            case "e": extras = part
            case "m": try readMarks(part)
            default: throw Unreadable(reason: "it has a part besides d, e and m")
            }
        }
    }

    private mutating func readMarks(_ marks: JSONObject) throws(Unreadable) {
        for mark in marks.members {
            switch (mark.name, mark.value) {
            case ("nobody", true): namesNoCustomer = true
            case ("profile", .string(let text)): profile = text
            case ("sequence", 0): isSequenceGiven = true
            case ("signed", true): isSignedGiven = true
            default: throw Unreadable(reason: "the mark \"\(mark.name.prefix(16))\" is unknown")
            }
        }
    }

    struct Unreadable: Error {
        var reason: String
    }
}
