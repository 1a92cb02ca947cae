import DaybookEvents

/// Why something that claims to come from the App Store is not taken in: a closed set of classes, and what was seen.
public struct AppStoreRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// It is not what Apple sends: three parts, base64url, ES256, certificates, JSON of the kind asked for.
        case format
        /// The certificates do not lead to a configured root, are not Apple's for this purpose, were not valid when
        /// the payload was signed, or were withdrawn since.
        case chain
        /// The signature is not the leaf's.
        case signature
        /// It is about another app.
        case appIdentity = "app_identity"
        /// It is of another environment than asked for.
        case environment
        /// It has the id of something that was taken in before and said otherwise.
        case conflict
        /// It could not be decided now; the same bytes may pass later.
        case retryable
    }

    public var reason: Reason
    /// One sentence with what was seen and what was expected; safe to log.
    public var detail: String
    /// The lineage that a transaction must tell of before the same bytes pass, such as `apple:2000000123`; `nil` where
    /// no event makes them pass.
    public var waitsFor: String?

    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// A renewal names no app, and the same certificates sign for every app: alone it is believed only of a known
    /// lineage.
    public init(unknownLineage lineage: String) {
        self.init(
            .retryable,
            "no transaction of this app has told of \(lineage) yet; it is taken in as soon as one has"
        )
        waitsFor = lineage
    }

    public var description: String { "\(reason.rawValue): \(detail)" }

    /// The same refusal, said of something inside.
    func inside(_ place: String) -> AppStoreRefusal {
        var refusal = self
        refusal.detail = "\(place): \(detail)"
        return refusal
    }
}

extension JSONValue? {
    /// At most 64 bytes of a text in quotes, or what stands there instead, for messages.
    var quoted: String {
        switch self {
        case .string(let text):
            "\"\(text.utf8.count <= 64 ? text : String(decoding: text.utf8.prefix(64), as: UTF8.self) + "…")\""
        case .integer(let number): "\(number)"
        case .number(let text): text.utf8.count <= 64 ? text : "a long number"
        case let value?: value.kindName
        case nil: "missing"
        }
    }
}
