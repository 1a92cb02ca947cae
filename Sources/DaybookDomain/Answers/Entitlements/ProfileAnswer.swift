import DaybookEvents

/// A profile at the time of the case.
public struct ProfileAnswer: Sendable, Equatable {
    /// The profile's id, as the app names it.
    public var profile: String
    /// What it is (`child`), as its first event that says so does; empty: none says it.
    public var kind: String
    /// When it was first created or restored, in milliseconds since 1970 UTC.
    public var createdAt: Int64
    /// When its free period began.
    public var startedAt: Int64
    /// Whether the last change by the asked time deleted it.
    public var isDeleted: Bool

    /// Profiles as of the asked time, in order of creation; a deleted one stays in the list as deleted.
    ///
    /// What a profile is and since when it had its free period are facts, which T does not filter (rule 4): the
    /// creation tells them even where a restoration came first. The same id again is the same profile (OL-12).
    ///
    /// - Complexity: O(*n*) in all changes of profiles: a customer may have told of many thousands.
    static func all(_ context: CustomerCase) -> [ProfileAnswer] {
        let changes = context.state.customer.profiles
        if changes.isEmpty { return [] }
        var origins: [NameID: Origin] = [:]
        for change in changes {
            origins[change.profile, default: Origin()].take(change)
        }
        var profiles: [ProfileAnswer] = []
        var places: [NameID: Int] = [:]
        for change in changes where change.at <= context.at {
            if let index = places[change.profile] {
                profiles[index].isDeleted = change.change == .deleted
                continue
            }
            guard change.change != .deleted else { continue }
            let own = origins[change.profile] ?? Origin()
            let origin = own.created ?? change
            places[change.profile] = profiles.count
            profiles.append(
                ProfileAnswer(
                    profile: context.names[change.profile], kind: context.names[own.kind],
                    createdAt: change.at, startedAt: origin.startedAt.orNil ?? origin.at,
                    isDeleted: false))
        }
        return profiles
    }

    /// What the changes of one profile say of its beginning.
    private struct Origin {
        var created: CustomerState.ProfileChange?
        /// 0: none was told.
        var kind: NameID = 0

        mutating func take(_ change: CustomerState.ProfileChange) {
            if created == nil, change.change == .created { created = change }
            if kind == 0 { kind = change.profileKind }
        }
    }
}
