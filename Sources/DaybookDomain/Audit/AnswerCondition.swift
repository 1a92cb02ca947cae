public import DaybookEvents

/// Something that holds of a customer at one point of its history, or does not: what a search or a walk stops at.
///
/// ```
/// allowed:NAME        the feature or the meter is answered with yes
/// denied:NAME         … with no
/// used:METER>=N       the meter's number; also >, =, !=, < and <=
/// TYPE                the event is of this type
/// ```
public enum AnswerCondition: Sendable, Equatable, CustomStringConvertible {
    case allowed(String)
    case denied(String)
    case used(meter: String, Comparison, Int64)
    case event(type: EventTypeName)

    /// How the meter's number, on the left, is compared with the stated one, on the right.
    public enum Comparison: String, Sendable, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        case isNot = "!="
        case above = ">"
        case below = "<"
        case equal = "="

        fileprivate func holds(_ left: Int64, _ right: Int64) -> Bool {
            switch self {
            case .atLeast: left >= right
            case .atMost: left <= right
            case .isNot: left != right
            case .above: left > right
            case .below: left < right
            case .equal: left == right
            }
        }
    }

    /// A condition that cannot be read.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        /// The condition as it was given.
        public var text: String
        /// What is wrong with it, as part of a sentence.
        public var reason: String

        /// For messages: the condition, what is wrong with it, and what may be written.
        public var description: String {
            "\"\(text)\" is no condition: \(reason); write allowed:NAME, denied:NAME, used:METER>=N or the type of an event"
        }
    }

    /// - Throws: What is wrong with it.
    public init(_ text: String) throws(Unreadable) {
        guard let colon = text.firstIndex(of: ":") else {
            guard Vocabulary.isKnown(text) else {
                throw Unreadable(text: text, reason: "there is no such type of events")
            }
            self = .event(type: EventTypeName(rawValue: text))
            return
        }
        let name = String(text[text.index(after: colon)...])
        guard !name.isEmpty else { throw Unreadable(text: text, reason: "the name is missing") }
        switch text[..<colon] {
        case "allowed": self = .allowed(name)
        case "denied": self = .denied(name)
        case "used": self = try Self.number(name, of: text)
        default:
            throw Unreadable(
                text: text, reason: "\"\(text[..<colon])\" is none of allowed, denied and used")
        }
    }

    private static func number(
        _ rest: String, of text: String
    ) throws(Unreadable) -> AnswerCondition {
        // The longer signs come first.
        for comparison in Comparison.allCases {
            guard let range = rest.firstRange(of: comparison.rawValue) else { continue }
            let meter = String(rest[..<range.lowerBound])
            guard !meter.isEmpty else {
                throw Unreadable(text: text, reason: "the meter is missing")
            }
            guard let number = Int64(rest[range.upperBound...]) else {
                throw Unreadable(
                    text: text, reason: "\"\(rest[range.upperBound...])\" is no whole number")
            }
            return .used(meter: meter, comparison, number)
        }
        throw Unreadable(text: text, reason: "a comparison is missing")
    }

    /// The condition in the notation above: `used:stories>=3`.
    public var description: String {
        switch self {
        case .allowed(let name): "allowed:\(name)"
        case .denied(let name): "denied:\(name)"
        case .used(let meter, let comparison, let number):
            "used:\(meter)\(comparison.rawValue)\(number)"
        case .event(let type): type.rawValue
        }
    }

    /// Checks that some catalog has the name that is asked for.
    /// - Throws: `UnknownName`; never where no catalog is known.
    public func checkNames(in catalogs: CatalogHistory) throws(UnknownName) {
        let all = catalogs.versions.map(\.catalog)
        if all.isEmpty { return }
        let asked: String
        var known = all.flatMap(\.meters).map(\.name)
        switch self {
        case .event: return
        case .used(let meter, _, _):
            if all.contains(where: { $0.meter(counting: meter) != nil }) { return }
            asked = meter
        case .allowed(let name), .denied(let name):
            if all.contains(where: {
                $0.meter(named: name) != nil || $0.feature(named: name) != nil
            }) {
                return
            }
            asked = name
            known += all.flatMap(\.features).map(\.name)
        }
        throw UnknownName(name: asked, nearest: NearestName.of(asked, among: known))
    }

    /// Whether it holds of a customer.
    /// - Parameters:
    ///   - event: The type of the event that led there; `nil`: none did.
    ///   - profile: Which profile is asked for.
    /// - Throws: `UnknownName` for a name that the catalog then in force does not have. Without a catalog nothing is
    ///   allowed, and nothing was used.
    public func holds(
        of context: CustomerCase, after event: EventTypeName?, profile: String? = nil
    ) throws(UnknownName) -> Bool {
        if case .event(let type) = self { return event == type }
        guard let check = Check(context) else {
            if case .denied = self { return true }
            return false
        }
        switch self {
        case .allowed(let name):
            return try check.bareDecision(CheckQuestion(name, profile: profile)).allowed
        case .denied(let name):
            return try !check.bareDecision(CheckQuestion(name, profile: profile)).allowed
        case .used(let name, let comparison, let number):
            guard let meter = check.catalog.meter(counting: name) else {
                throw UnknownName(
                    name: name,
                    nearest: NearestName.of(name, among: check.catalog.meters.map(\.name)))
            }
            return comparison.holds(check.usage.answer(meter, profile: profile).used, number)
        case .event: return false
        }
    }
}
