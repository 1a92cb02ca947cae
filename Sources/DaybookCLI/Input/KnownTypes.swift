import Daybook
import DaybookDomain
import DaybookIngest

/// Finds event types that were kept although neither this build nor the ledger's catalogs know them.
struct KnownTypes {
    private let names: [EventName]

    init(_ ledger: Ledger) throws { names = try ledger.catalogs().eventNames }

    private func isKnown(_ type: EventTypeName) -> Bool {
        Vocabulary.isKnown(type)
            || names.contains { $0.event != nil && haveSameBytes($0.name, type.rawValue) }
    }

    /// The unknown types among some events, each once, with what was probably meant.
    static func unknown(
        _ events: [ReadEvent], _ ledger: Ledger
    ) throws -> [(type: String, hint: String)] {
        let types = Set(events.lazy.map(\.draft.type).filter { !Vocabulary.isKnown($0) })
        if types.isEmpty { return [] }
        let known = try KnownTypes(ledger)
        return types.filter { !known.isKnown($0) }.map(\.rawValue).sorted(by: precedesInBytes)
            .map { ($0, known.hint($0)) }
    }

    /// `; did you mean "usage.recorded"?`, or where names of an app's own are written down.
    func hint(_ type: String) -> String {
        if let name = names.first(where: { haveSameBytes($0.name, type) }),
            let milestone = name.milestone
        {
            return
                "; the catalog calls a milestone so (\(milestone.rawValue)), which is derived from store facts on export"
        }
        let events = names.filter { $0.event != nil }.map(\.name)
        if events.contains(where: { haveSameBytes($0, type) }) {
            return "; the catalog has had the name since a later event"
        }
        if let near = NearestName.of(type, among: Vocabulary.names.union(events)) {
            return "; did you mean \"\(near)\"?"
        }
        return type.contains(".") ? "" : "; an app's own names stand in its catalog, in eventNames"
    }
}
