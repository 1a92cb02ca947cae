public import Daybook

/// What the ledger keeps of a key: who made, replaced or ended it, and when; never the key.
public enum KeyEvent: String, Sendable {
    case created = "key_created"
    case rotated = "key_rotated"
    case revoked = "key_revoked"
    case trusted = "key_trusted"
    case distrusted = "key_distrusted"

    /// Records it in the ledger of the key's app.
    /// - Parameters:
    ///   - ledger: Open for writing, and of the app that the key is for.
    ///   - id: Of the API key, or of the key of tokens.
    ///   - details: Members of the event's data; `key_id` is set to the id.
    ///   - actor: Who did it.
    ///   - reason: Why it was done; `nil`: no reason is recorded.
    ///   - now: When it was done, in milliseconds since 1970 UTC; the event's key is made of it, too.
    public func record(
        in ledger: Ledger, id: String, details: JSONObject, by actor: String, reason: String?,
        now: Int64
    ) async throws {
        var data = details
        data["key_id"] = .string(id)
        var extras: JSONObject = ["actor": .string(actor)]
        if let reason { extras["reason"] = .string(reason) }
        try await ledger.record([
            EventDraft(
                type: EventTypeName(.ops, rawValue), subject: nil, occurredAt: now,
                source: EventSource(kind: "native", key: "\(rawValue)/\(id)/\(now)"), trust: .admin,
                data: data, extras: extras)
        ])
    }
}
