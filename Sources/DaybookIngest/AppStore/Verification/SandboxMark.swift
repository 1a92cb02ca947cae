@preconcurrency import X509

/// By this mark verifiers know a root that only counts in the environment `test`: the organization that it names.
enum SandboxMark {
    static let organization = "Daybook sandbox, for tests only"

    /// Whether a root bears the mark.
    static func isOn(_ root: Certificate) -> Bool {
        // A name that cannot be built is a mistake of this file, and no such root could have been issued.
        guard let name = try? Self.name("Root", organization) else { return false }
        return root.subject == name
    }

    /// How a certificate of a sandbox authority is called.
    static func name(_ common: String, _ organization: String) throws -> DistinguishedName {
        try DistinguishedName {
            OrganizationName(organization)
            CommonName(common)
        }
    }
}
