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
    ///   - id: Of the API key, or of the key of tokens.
    ///   - actor: Who did it.
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
