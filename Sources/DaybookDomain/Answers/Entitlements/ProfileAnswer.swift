import DaybookEvents

/// A profile at the time of the case.
public struct ProfileAnswer: Sendable, Equatable {
    public var profile: String
    public var kind: String
    public var createdAt: Int64
    /// When its free period began.
    public var startedAt: Int64
    public var isDeleted: Bool

    /// Profiles as of the asked time, in order of creation; a deleted one stays in the list as deleted.
    ///
    /// What a profile is and since when it had its free period are facts, which T does not filter (rule 4): the
    /// creation tells them even where a restoration came first. The same id again is the same profile (OL-12).
    static func all(_ context: CustomerCase) -> [ProfileAnswer] {
        let changes = context.state.customer.profiles
        var profiles: [ProfileAnswer] = []
        for change in changes where change.at <= context.at {
            let name = context.names[change.profile]
            if let index = profiles.firstIndex(where: { $0.profile == name }) {
                profiles[index].isDeleted = change.change == .deleted
                continue
            }
            guard change.change != .deleted else { continue }
            let own = changes.filter { $0.profile == change.profile }
            let origin = own.first { $0.change == .created } ?? change
            profiles.append(
                ProfileAnswer(
                    profile: name,
                    kind: context.names[own.first { $0.profileKind != 0 }?.profileKind ?? 0],
                    createdAt: change.at, startedAt: origin.startedAt.orNil ?? origin.at,
                    isDeleted: false))
        }
        return profiles
    }
}
