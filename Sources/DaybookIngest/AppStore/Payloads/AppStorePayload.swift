public import DaybookEvents

/// What was stated, with every member as it came.
///
/// Nothing is lost by reading: `members` is the whole payload, and each property looks a member up. A member that this
/// version does not know is listed by `unknownMembers`, one that is not of its documented form by `unreadableMembers`.
public protocol AppStorePayload: Sendable, Equatable {
    var members: JSONObject { get }
    /// Every documented member of this kind of payload.
    static var fields: [AppStoreField] { get }
}

/// A documented member and its form.
public struct AppStoreField: Sendable, Equatable {
    /// The form of a member's value.
    public enum Kind: String, Sendable, CaseIterable {
        case text
        /// Text, or a number that is kept as text.
        case identifier
        /// 64 bits, as a number or as text.
        case number
        /// Since 1970 UTC; a fraction is cut off.
        case milliseconds
        /// Thousandths of the currency beside it.
        case money
        case flag, object
        /// A list of text.
        case texts
        /// A compact JWS.
        case signed
    }

    /// The member's name in the JSON.
    public let name: String
    /// The form in which Apple documents its value.
    public let kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    func canBeRead(in members: JSONObject) -> Bool {
        switch kind {
        case .text, .signed: members.text(name) != nil
        case .identifier: members.identifier(name) != nil
        case .number, .money: members.wholeNumber(name) != nil
        case .milliseconds: members.milliseconds(name) != nil
        case .flag: members.flag(name) != nil
        case .object: members.object(name) != nil
        case .texts: members.texts(name) != nil
        }
    }
}

extension AppStorePayload {
    /// Members that are not documented, in ascending order.
    public var unknownMembers: [String] {
        members.members.map(\.name).filter { name in !Self.fields.contains { $0.name == name } }
    }

    /// Documented members that are there, not null, and of another form: their properties are `nil`.
    public var unreadableMembers: [String] {
        Self.fields.filter { field in
            guard let value = members[field.name], value != .null else { return false }
            return !field.canBeRead(in: members)
        }.map(\.name)
    }
}

/// A value of a list that Apple may lengthen: what is not known is kept as it came.
public enum AppStoreWord<Known: RawRepresentable & Sendable & Equatable>: Sendable, Equatable
where Known.RawValue: Sendable & Equatable {
    case known(Known)
    case unknown(Known.RawValue)

    init(raw: Known.RawValue) {
        self = Known(rawValue: raw).map(Self.known) ?? .unknown(raw)
    }

    /// As it came.
    public var raw: Known.RawValue {
        switch self {
        case .known(let word): word.rawValue
        case .unknown(let raw): raw
        }
    }

    /// `nil` for what this version does not know.
    public var known: Known? { if case .known(let word) = self { word } else { nil } }
}
