/// A key as the server keeps it: everything but its secret.
public struct APIKey: Sendable, Equatable {
    /// 12 characters; names it in lists, logs and events.
    public let id: String
    /// The ledger that it is for.
    public let app: String
    /// What it opens.
    public let scopes: Set<Scope>
    /// What it is for, in the operator's words.
    public let label: String
    /// When it was made, milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// Who made it.
    public let createdBy: String
    /// Milliseconds since 1970 UTC; `nil`: for ever.
    public var expiresAt: Int64?
    /// From when on it opens nothing, after a revocation or rotation, milliseconds since 1970 UTC; `nil`: neither.
    public var revokedAt: Int64?
    /// The key that takes its place; `nil`: none does.
    public var replacedBy: String?
    /// SHA-256 of the secret.
    let digest: [UInt8]

    /// Whether it opens anything at a time, milliseconds since 1970 UTC.
    public func isValid(at now: Int64) -> Bool {
        revokedAt.map { now < $0 } ?? true && expiresAt.map { now < $0 } ?? true
    }
}
