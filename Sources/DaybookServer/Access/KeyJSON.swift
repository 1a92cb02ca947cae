package import DaybookEvents

/// The shapes of keys; never their secrets.
extension APIKey {
    package var json: JSONObject {
        [
            "id": .string(id), "app": .string(app),
            "scopes": .array(scopes.map(\.rawValue).sorted().map { .string($0) }),
            "label": .string(label), "created_at": .integer(createdAt),
            "created_by": .string(createdBy), "expires_at": .orNull(expiresAt),
            "revoked_at": .orNull(revokedAt), "replaced_by": .orNull(replacedBy),
        ]
    }
}

extension TokenKey {
    package var json: JSONObject {
        ["id": .string(id), "algorithm": .string(algorithm.rawValue)]
    }
}
