import DaybookDomain
import DaybookEvents

/// What subscriber documents write otherwise than webhooks do: times as texts, amounts as objects.
extension RevenueCatFields {
    /// A time as RFC 3339 writes it, in milliseconds since 1970; what is finer is cut off.
    /// - Returns: With whether something was cut; `nil` where the member is absent or null.
    mutating func moment(_ name: String) throws(EventProblem) -> (at: Int64, isCut: Bool)? {
        guard has(name), let value = event[name] else { return nil }
        guard let text = value.text else {
            throw wrong(name, "be a time such as 2026-01-31T23:59:59Z", value)
        }
        let whole = Self.cut(text)
        guard let at = RFC3339.parse(whole ?? text) else {
            throw wrong(
                name, "is no time in RFC 3339 with its offset, such as 2026-01-31T23:59:59Z")
        }
        take(name)
        return (at, whole != nil)
    }

    /// The text with three digits of a longer fraction; `nil` where there is nothing to cut.
    private static func cut(_ text: String) -> String? {
        guard let point = text.firstIndex(of: ".") else { return nil }
        let rest = text[text.index(after: point)...]
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard digits.count > 3 else { return nil }
        return String(text[...point] + digits.prefix(3) + rest.dropFirst(digits.count))
    }

    /// Milliseconds since 1970, also as a text of digits.
    mutating func milliseconds(_ name: String) throws(EventProblem) -> Int64? {
        guard has(name) else { return nil }
        if let text = event[name]?.text {
            guard let number = Int64(text) else {
                throw wrong(name, "must be milliseconds since 1970")
            }
            take(name)
            return number
        }
        return try time(name)
    }

    /// An object; absent and null are an empty one.
    func object(_ name: String) throws(EventProblem) -> JSONObject {
        guard has(name), let value = event[name] else { return JSONObject() }
        guard let object = value.object else { throw wrong(name, "be an object", value) }
        return object
    }

    /// Thousandths of the currency of `price`, and whether the sender wrote no finer number.
    mutating func price() throws(EventProblem) -> (milli: Int64, currency: String, isExact: Bool)? {
        let price = try object("price")
        guard let currency = price["currency"]?.text, !currency.isEmpty else { return nil }
        guard let scaled = try amount(price["amount"], "price.amount") else { return nil }
        if scaled.isExact, price.members.count == 2 { take("price") }
        return (scaled.value, currency, scaled.isExact)
    }
}
