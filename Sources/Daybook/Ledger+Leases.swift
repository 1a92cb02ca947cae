public import DaybookEvents

/// What clients take with them.
extension Ledger {
    /// What a client may go on believing of a customer for some time, without asking again; who signs it is the
    /// caller's to say.
    ///
    /// It is of the ledger's clock and of everything that is recorded. What ends within the time has its own end in it.
    /// - Parameters:
    ///   - subject: The customer, by any of their ids; the lease has the one that is shown.
    ///   - profile: The profile whose entitlements it has; `nil`: as in a status without a profile.
    ///   - environment: The environment in which the subject is a customer; the lease names it.
    ///   - milliseconds: How long it is good for, 1 to `Lease.durationMax`.
    /// - Throws: `LedgerError.badInput` for another duration; what `status` throws.
    public func lease(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        milliseconds: Int64 = Lease.durationDefault
    ) throws -> Lease {
        try LedgerError.require(
            (1...Lease.durationMax).contains(milliseconds), "duration_out_of_bounds",
            "a lease is good for up to \(Lease.durationMax / 86_400_000) days")
        let (status, asOf) = try status(of: subject, profile: profile, environment: environment)
        return Lease(
            app: app, subject: status.subject, profile: profile, environment: environment,
            issuedAt: asOf.at, expiresAt: asOf.at + milliseconds,
            place: try place(at: asOf.position),
            entitlements: status.entitlements.filter(\.isActive).map {
                Lease.Entitlement(name: $0.name, expiresAt: $0.expiresAt)
            })
    }
}
