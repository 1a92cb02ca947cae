import DaybookEvents

/// What was known at a cut in one environment: not void, amended, in canonical order.
struct KnownHistory {
    /// In canonical order (rule 2).
    let events: [KnownEvent]

    /// - Parameter events: In the order of their positions.
    init(_ events: [RecordedEvent], environment: Environment, cut: Int64) {
        var seen: Set<EventIdentity> = []
        var known: [KnownEvent] = []
        // Rule 4: an event takes part iff its position is within the cut. Rule 9: nothing mixes.
        for event in events where event.position <= cut && event.draft.environment == environment {
            let candidate = KnownEvent(event)
            // Rule 16: (environment, source, key) binds once, for ever.
            if seen.insert(candidate.identity).inserted { known.append(candidate) }
        }
        known.sort(by: KnownEvent.isOrdered)
        let valid = Self.withoutVoided(known)
        self.events = Self.amended(valid)
    }

    /// Rule 20: void iff a `correction.voided` that is not itself void targets it.
    private static func withoutVoided(_ events: [KnownEvent]) -> [KnownEvent] {
        var voids: [EventIdentity: [KnownEvent]] = [:]
        for event in events where event.type == "correction.voided" {
            guard let target = target(of: event) else { continue }
            voids[target, default: []].append(event)
        }
        func isVoid(_ identity: EventIdentity, _ path: Set<EventIdentity>) -> Bool {
            (voids[identity] ?? []).contains { correction in
                // Two voids of each other are no history; whoever asks first is believed.
                guard !path.contains(correction.identity) else { return false }
                return !isVoid(correction.identity, path.union([correction.identity]))
            }
        }
        return events.filter { !isVoid($0.identity, [$0.identity]) }
    }

    /// Rule 20: `amended` replaces fields in place, last in canonical order wins.
    private static func amended(_ events: [KnownEvent]) -> [KnownEvent] {
        var patches: [EventIdentity: [JSONObject]] = [:]
        for event in events where event.type == "correction.amended" {
            guard let target = target(of: event), let patch = event.fields["patch"]?.object
            else { continue }
            patches[target, default: []].append(patch)
        }
        return events.map { event in
            // Signed facts can be voided, never amended.
            guard let own = patches[event.identity], event.trust != .verified else { return event }
            var amended = event
            for patch in own {
                for member in patch.members where !unamendable.contains(member.name) {
                    amended.fields[member.name] = member.value == .null ? nil : member.value
                }
            }
            // Whatever the patch names, the stream cannot be amended.
            return Belonging(amended) == Belonging(event) ? amended : event
        }
    }

    /// What decides a stream or an identity: void and record anew.
    private static let unamendable: Set<String> = [
        "original_transaction_id", "transaction_id", "store", "profile",
    ]

    private static func target(of correction: KnownEvent) -> EventIdentity? {
        guard let source = correction.fields.value(at: ["target", "source"])?.text,
            let key = correction.fields.value(at: ["target", "key"])?.text
        else { return nil }
        return EventIdentity(source: source, key: key)
    }
}
