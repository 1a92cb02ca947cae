public import DaybookEvents

/// One field of an answer that is not what it was: of the decision, of its meter, or of one source.
public struct AnswerChange: Sendable, Equatable {
    /// `subscription:apple:2000000123`; `nil`: of the decision or its meter.
    public var source: String?
    /// `allowed`, `reason`, `used`, `state`, `expires_at`, …; times end in `_at`.
    public var field: String
    /// `null` where there was nothing.
    public var before: JSONValue
    /// `null` where there is nothing any more.
    public var after: JSONValue

    /// Creates a change; nothing is checked, not even that the values differ.
    public init(source: String? = nil, field: String, before: JSONValue, after: JSONValue) {
        self.source = source
        self.field = field
        self.before = before
        self.after = after
    }

    /// What is different between two answers to one question, in a fixed order: the decision, its meter, the sources by
    /// name.
    /// - Parameter before: `nil`: there was no answer, for want of a catalog or of the name in it.
    public static func between(_ before: Decision?, _ after: Decision?) -> [AnswerChange] {
        var changes = compare(nil, fields(before), fields(after))
        let old = sources(before)
        let new = sources(after)
        let names = Set(old.map(\.name)).union(new.map(\.name))
        for name in names.sorted(by: precedesInBytes) {
            changes += compare(
                name, old.first { $0.name == name }?.fields ?? [],
                new.first { $0.name == name }?.fields ?? [])
        }
        return changes
    }

    private static func compare(
        _ source: String?, _ before: [Field], _ after: [Field]
    ) -> [AnswerChange] {
        let names =
            after.map(\.name)
            + before.map(\.name).filter { name in
                !after.contains { $0.name == name }
            }
        return names.compactMap { name in
            let old = before.first { $0.name == name }?.value ?? .null
            let new = after.first { $0.name == name }?.value ?? .null
            return old == new
                ? nil : AnswerChange(source: source, field: name, before: old, after: new)
        }
    }

    private typealias Field = (name: String, value: JSONValue)

    private static func fields(_ decision: Decision?) -> [Field] {
        guard let decision else { return [] }
        var fields: [Field] = [
            ("allowed", .bool(decision.allowed)), ("reason", .string(decision.reason.rawValue)),
        ]
        guard let usage = decision.usage else { return fields }
        func number(_ name: String, _ value: Int64?) {
            if let value { fields.append((name, .integer(value))) }
        }
        number("limit", usage.limit)
        number("used", usage.used)
        number("remaining", usage.remaining)
        // Nothing is said of what is usually nothing.
        for (name, value) in [
            ("reserved", usage.reserved), ("granted", usage.granted),
            ("overage", usage.overage), ("debt", usage.debt), ("excess", usage.excess),
        ] where value != 0 {
            number(name, value)
        }
        number("resets_at", usage.period.flatMap { $0.end == Int64.max ? nil : $0.end })
        number("visible_from_at", usage.visibleFrom)
        return fields
    }

    /// The sources of an answer, each once.
    private static func sources(_ decision: Decision?) -> [(name: String, fields: [Field])] {
        var found: [(name: String, fields: [Field])] = []
        let all =
            (decision?.candidates ?? [])
            + [decision?.source, decision?.usage?.coveredBy]
            .compactMap(\.self)
        for source in all {
            var name = source.reference
            if let profile = source.profile, !profile.isEmpty { name += "/\(profile)" }
            if !found.contains(where: { $0.name == name }) { found.append((name, fields(source))) }
        }
        return found
    }

    private static func fields(_ source: Source) -> [Field] {
        [
            ("state", .string(source.state.rawValue)), ("active", .bool(source.isActive)),
            ("product", .orNull(source.product)), ("starts_at", .orNull(source.startsAt)),
            ("expires_at", .orNull(source.expiresAt)), ("will_renew", .bool(source.willRenew)),
            ("why", .orNull(source.why?.rawValue)),
        ]
    }
}

extension Source {
    /// How a source is named in answers: `subscription:apple:2000000123`.
    public var reference: String { "\(kind.rawValue):\(id)" }
}
