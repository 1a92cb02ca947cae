public import DaybookEvents

/// An app's own name for something that happens, and what it means in the ledger's vocabulary (rule 27).
///
/// On the way in an event of this name is recorded as `event`; on the way out an export under the app's names writes
/// the name again. A name of a milestone goes out only: it is derived from store facts and is never one.
public struct EventName: Sendable, Equatable {
    /// A member that the app calls otherwise.
    public struct Member: Sendable, Equatable {
        /// What the app calls the member.
        public var theirs: String
        /// The member of the event's data that it stands for; a value that the event has there already is kept.
        public var ours: String
        /// Makes a pair of names; nothing is checked.
        public init(theirs: String, ours: String) {
            self.theirs = theirs
            self.ours = ours
        }
    }

    /// As the app writes it; never with a dot, which the vocabulary's names have.
    public var name: String
    /// The event type that it stands for; `nil`: only for a milestone.
    public var event: EventTypeName?
    /// The milestone of a subscription that is called so on the way out.
    public var milestone: SubscriptionMilestone.Kind?
    /// What the name says by itself: taken where the event does not say otherwise. On the way out an event has the
    /// name only if it says the same.
    public var data = JSONObject()
    /// The same on the way in; on the way out an event has the name if it has these members, whatever they say.
    public var defaults = JSONObject()
    /// Members under other names; a catalog gives them sorted by the bytes of the app's names.
    public var members: [Member] = []

    /// Makes a name that fixes and renames no members; nothing is checked.
    public init(
        name: String, event: EventTypeName? = nil, milestone: SubscriptionMilestone.Kind? = nil
    ) {
        self.name = name
        self.event = event
        self.milestone = milestone
    }

    /// An event of this name under the vocabulary's; `nil` where it stays what it is: a name of a milestone alone, or
    /// a line that an export derived from store facts.
    public func canonical(_ draft: EventDraft) -> EventDraft? {
        guard let event, draft.extras[Self.derivedFrom] == nil else { return nil }
        var draft = draft
        draft.type = event
        // A version that the app counts is of its own event, not of ours.
        let type = Vocabulary.schema(named: event, version: 1)?.type
        draft.version = type.flatMap { Vocabulary.current($0)?.version } ?? 1
        draft.data = canonical(draft.data)
        return draft
    }

    /// The member of an exported line that names the store fact which it is derived from.
    public static let derivedFrom = "derived_from"

    /// A member that is null is absent, as everywhere.
    private func canonical(_ given: JSONObject) -> JSONObject {
        var data = given
        func isAbsent(_ name: String) -> Bool { data[name] == nil || data[name] == .null }
        for member in members where isAbsent(member.ours) {
            guard let value = data[member.theirs], value != .null else { continue }
            data[member.theirs] = nil
            data[member.ours] = value
        }
        for member in self.data.members + defaults.members where isAbsent(member.name) {
            data[member.name] = member.value
        }
        return data
    }

    /// How closely the name describes an event: the number of members that it speaks of; `nil` where it does not
    /// describe it.
    func fit(_ type: EventTypeName, _ given: JSONObject) -> Int? {
        guard milestone == nil, let event, event == type,
            data.members.allSatisfy({ given[$0.name] == $0.value }),
            defaults.members.allSatisfy({ given[$0.name] != nil })
        else { return nil }
        return data.members.count + defaults.members.count
    }
}

extension [EventName] {
    /// What an app calls an event: of the names that describe it the one that says most, of equals the first; `nil`
    /// where it has none.
    public func name(of type: EventTypeName, _ data: JSONObject) -> String? {
        var best: (name: String, fit: Int)?
        for name in self {
            guard let fit = name.fit(type, data), fit > best?.fit ?? -1 else { continue }
            best = (name.name, fit)
        }
        return best?.name
    }
}
