import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest

/// Types of events that this build does not know: kept as they come from files and streams, and asked about where a
/// person types one, because what is recorded stays for ever.
enum KnownType {
    /// - Throws: `LedgerError.badInput` for the first event of an unknown type, with what was probably meant.
    static func check(_ events: [ReadEvent]) throws {
        guard let event = events.first(where: { !Vocabulary.names.contains($0.draft.type) }) else {
            return
        }
        let type = event.draft.type
        throw LedgerError.badInput([
            InputProblem(
                line: nil, column: nil, code: "unknown_type",
                reason: "\"\(type)\" is no event type that this build knows\(hint(type))",
                member: "type")
        ])
    }

    /// The unknown types among some events, each once.
    static func unknown(_ events: [ReadEvent]) -> [String] {
        Set(events.lazy.map(\.draft.type).filter { !Vocabulary.names.contains($0) }).sorted()
    }

    /// ` (did you mean "usage.recorded"?)`; empty where nothing is near.
    static func hint(_ type: String) -> String {
        let known = Vocabulary.names.union(EventAliases.names)
        return NearestName.of(type, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
    }
}
