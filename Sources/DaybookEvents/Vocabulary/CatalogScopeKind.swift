/// For whom a publication of a catalog is, without the share of a cohort. The numbers stand in events, as places in the
/// vocabulary's list of words from 1 on.
public enum CatalogScopeKind: UInt8, Sendable, CaseIterable {
    case all = 1
    case newSubjects = 2
    case nextPeriod = 3
    case cohort = 4

    /// How events name it.
    public var word: String { eventWord.name }

    /// A word of the vocabulary, or another spelling of one.
    public init?(word: String) {
        let kind = Self.allCases.first {
            let known = $0.eventWord
            return known.name == word || known.spellings.contains(word)
        }
        guard let kind else { return nil }
        self = kind
    }

    /// The word with the spellings under which others send it.
    var eventWord: EventWord {
        switch self {
        case .all: EventWord("all")
        case .newSubjects: EventWord("new_users", "new", "new_subjects")
        case .nextPeriod: EventWord("next_period")
        case .cohort: EventWord("cohort")
        }
    }
}
