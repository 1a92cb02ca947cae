import Daybook
import DaybookEvents

/// An event with its place in canonical order among those of a bundle.
struct RankedEvent {
    var draft: EventDraft
    var rank: Int
}

/// Events without the ids and texts of customers, and with the same answers.
///
/// What is known to be harmless stays: types, versions, environments, times, numbers, words of the vocabulary, zones,
/// currencies, and words that stand in the catalogs, which go along. Everything else is replaced, and what no schema
/// names is left out; no fold reads it. Events of one millisecond get the `sequence` that is their canonical order,
/// which their keys gave before; a catalog that is for a share of the customers is for all of them or for none.
struct Redaction {
    let names: RedactedNames
    /// In the order of the events.
    let drafts: [EventDraft]

    /// - Parameters:
    ///   - events: In the order in which they were recorded.
    ///   - cohorts: Of each catalog for a share of the customers, whether these are in it.
    ///   - asked: Who is asked about, and through which profile.
    init(
        _ events: [RankedEvent], cohorts: [Int64: Bool], zones: ZoneTables,
        asked: [ReproBundle.Answer]
    ) {
        let drafts = events.map(\.draft)
        let texts = EventTexts(drafts, zones: zones)
        var found: [NamedThing: Set<ExactText>] = [:]
        for answer in asked {
            found[.subject, default: []].insert(ExactText(answer.subject))
            if let profile = answer.question?.profile {
                found[.profile, default: []].insert(ExactText(profile))
            }
        }
        for draft in drafts {
            _ = texts.replacing(draft) { text, thing in
                found[thing, default: []].insert(ExactText(text))
                return text
            }
        }
        let names = RedactedNames(found, kept: texts.documents + Self.texts(of: asked, found))
        self.names = names
        let sequences = Self.sequences(events)
        self.drafts = zip(drafts, sequences).map { draft, sequence in
            var draft = texts.replacing(draft) { names.name(of: $0, $1) ?? $0 }
            if let sequence { draft.sequence = sequence }
            Self.resolve(&draft, cohorts)
            return draft
        }
    }

    /// The same question under the new names; its answer is still to be given.
    func asked(_ answer: ReproBundle.Answer) -> ReproBundle.Answer {
        var answer = answer
        answer.subject = names.name(of: answer.subject, .subject) ?? answer.subject
        if let profile = answer.question?.profile {
            answer.question?.profile = names.name(of: profile, .profile) ?? profile
        }
        answer.content = JSONObject()
        return answer
    }

    /// All texts of the answers.
    private static func texts(
        of answers: [ReproBundle.Answer], _ found: [NamedThing: Set<ExactText>]
    ) -> [String] {
        var texts: [String] = []
        func add(_ value: JSONValue) {
            switch value {
            case .string(let text): texts.append(text)
            case .array(let values): values.forEach(add)
            case .object(let object): object.members.forEach { add($0.value) }
            default: break
            }
        }
        for answer in answers { add(.object(answer.content)) }
        return texts
    }

    /// Places among the events of one millisecond; `nil` for an event that is alone in it.
    private static func sequences(_ events: [RankedEvent]) -> [Int64?] {
        var sequences = [Int64?](repeating: nil, count: events.count)
        let byTime = Dictionary(grouping: events.indices) { events[$0].draft.occurredAt }
        for ties in byTime.values where ties.count > 1 {
            let ordered = ties.sorted { events[$0].rank < events[$1].rank }
            for (place, index) in ordered.enumerated() { sequences[index] = Int64(place) }
        }
        return sequences
    }

    private static func resolve(_ draft: inout EventDraft, _ cohorts: [Int64: Bool]) {
        guard draft.type == .catalogPublished, let version = draft.data["version"]?.integer,
            let isIn = cohorts[version]
        else { return }
        if isIn {
            draft.data["applies_to"] = .string(CatalogScopeKind.all.word)
            draft.data["percent"] = nil
        } else {
            draft.data["percent"] = 0
        }
    }
}
