import DaybookEvents

/// The members of a webhook's `event`, or of an object in a subscriber document, read by name; what is not read is kept
/// as it is.
struct RevenueCatFields {
    let event: JSONObject
    /// Where the object stands in the payload, for messages.
    let path: String
    /// Members that stand in an event of ours with everything that they say.
    private(set) var taken: Set<String> = []

    init(event: JSONObject, at path: String = "event") {
        self.event = event
        self.path = path
    }

    /// Absent, `null` and empty are the same here.
    private func value(_ name: String) -> JSONValue? {
        guard let value = event[name], value != .null, value.text?.isEmpty != true else {
            return nil
        }
        return value
    }

    /// The member for messages.
    func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func has(_ name: String) -> Bool { value(name) != nil }

    mutating func take(_ name: String) { taken.insert(name) }

    /// A name or a word; ids may come as numbers.
    func peek(_ name: String) throws(EventProblem) -> String? {
        guard let value = value(name) else { return nil }
        if let text = value.text { return text }
        if let number = value.integer { return String(number) }
        throw wrong(name, "be text", value)
    }

    mutating func text(_ name: String) throws(EventProblem) -> String? {
        guard let text = try peek(name) else { return nil }
        take(name)
        return text
    }

    mutating func required(_ name: String, _ why: String) throws(EventProblem) -> String {
        guard let text = try text(name) else { throw missing(name, why) }
        return text
    }

    func missing(_ name: String, _ why: String) -> EventProblem {
        EventProblem(.missingField, place(of: name), why)
    }

    func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> EventProblem {
        wrong(name, "must \(expected), not \(value.kindName)")
    }

    func wrong(_ name: String, _ reason: String) -> EventProblem {
        EventProblem(.wrongType, place(of: name), reason)
    }

    /// Milliseconds since 1970; fractions of one are cut off.
    mutating func time(_ name: String) throws(EventProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        if let number = value.integer {
            take(name)
            return number
        }
        if case .number(let text) = value, let number = DecimalText(text)?.truncated {
            return number
        }
        throw wrong(name, "be milliseconds since 1970", value)
    }

    mutating func requiredTime(_ name: String, _ why: String) throws(EventProblem) -> Int64 {
        guard let time = try time(name) else { throw missing(name, why) }
        return time
    }

    mutating func flag(_ name: String) throws(EventProblem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else { throw wrong(name, "be true or false", value) }
        take(name)
        return flag
    }

    /// A list of names, such as ids of entitlements; it stays among what is kept.
    func texts(_ name: String) throws(EventProblem) -> [String] {
        guard let value = value(name) else { return [] }
        guard let values = value.array else { throw wrong(name, "be a list", value) }
        return try values.filter { $0 != .null }.map { (value) throws(EventProblem) in
            guard let text = value.text ?? value.integer.map({ String($0) }) else {
                throw wrong(name, "hold texts", value)
            }
            return text
        }
    }

    /// Thousandths of the currency that was paid in, and whether the sender wrote no finer number.
    ///
    /// `price` is in dollars whatever was paid in, so it counts only where dollars were paid.
    mutating func money() throws(EventProblem) -> (milli: Int64, currency: String, isExact: Bool)? {
        guard let currency = try peek("currency") else { return nil }
        var name = "price_in_purchased_currency"
        if !has(name), haveSameBytes(currency, "USD") { name = "price" }
        guard let scaled = try amount(value(name), name) else { return nil }
        take("currency")
        if scaled.isExact { take(name) }
        return (scaled.value, currency, scaled.isExact)
    }
    /// The thousandths that a member says; `nil` where it is absent or null.
    func amount(
        _ value: JSONValue?, _ name: String
    ) throws(EventProblem) -> (value: Int64, isExact: Bool)? {
        let text: String
        switch value {
        case nil, .null: return nil
        case .integer(let number): text = String(number)
        case .number(let number), .string(let number): text = number
        case let other?: throw wrong(name, "be a number", other)
        }
        guard let scaled = DecimalText(text)?.scaled(places: 3) else {
            throw EventProblem(.outOfBounds, place(of: name), "is no amount of money")
        }
        return scaled
    }
}
