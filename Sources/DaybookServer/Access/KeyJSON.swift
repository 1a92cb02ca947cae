package import DaybookEvents

/// The shapes of keys; never their secrets.
extension APIKey {
    package var json: JSONObject {
        [
            "id": .string(id), "app": .string(app),
            "scopes": .array(scopes.map(\.rawValue).sorted().map { .string($0) }),
            "label": .string(label), "created_at": .integer(createdAt),
            "created_by": .string(createdBy),
            "expires_at": expiresAt.map { .integer($0) } ?? .null,
            "revoked_at": revokedAt.map { .integer($0) } ?? .null,
            "replaced_by": replacedBy.map { .string($0) } ?? .null,
        ]
    }
}

extension TokenKey {
    package var json: JSONObject {
        ["id": .string(id), "algorithm": .string(algorithm.rawValue)]
    }
}
