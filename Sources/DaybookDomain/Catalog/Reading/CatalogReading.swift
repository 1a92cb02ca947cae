import DaybookEvents

/// The kinds of names that one part of a catalog uses and another part defines.
enum CatalogNameKind: String, CaseIterable {
    case group = "subscription group"
    case product
    case entitlement
    case feature
    case meter
    case freePeriod = "free period"
    case copyKey = "copy key"
    case paywall
}

/// What is collected while a document is read: names, uses of names, problems.
///
/// A class, because the readers of all sections write into the same one; it never leaves one call
/// of the reader.
final class CatalogReading {
    /// A use of a name that must be defined somewhere in the document.
    struct Reference {
        var kind: CatalogNameKind
        var name: String
        var place: CatalogPlace
    }

    private(set) var problems: [CatalogProblem]
    /// One mistake met twice on the way is one mistake.
    private var seen: Set<CatalogProblem> = []
    /// Suggestions are quadratic in the names; a document of nothing but unknown names gets only so
    /// many.
    private var suggestionsLeft = 200
    private(set) var references: [Reference] = []
    /// Where each name is defined.
    private(set) var definitions: [CatalogNameKind: [String: CatalogPlace]] = [:]
    /// Other names of features and meters, and what they mean.
    private(set) var aliases: [CatalogNameKind: [String: String]] = [:]
    /// Where each text of the copy stands: key, then locale.
    var copyPlaces: [String: [String: CatalogPlace]] = [:]
    /// Free text outside the copy, which the forbidden words apply to as well.
    var otherTexts: [(text: String, place: CatalogPlace)] = []
    var forbiddenWords: [String] = []
    /// Meters that products fill; judged when the kinds of all meters are known.
    var creditedMeters: [(name: String, place: CatalogPlace)] = []
    /// Where each meter says which feature it requires.
    var gatePlaces: [String: CatalogPlace] = [:]
    var gaugePlaces: [String: CatalogPlace] = [:]
    /// The aliases of the section being read.
    var pendingAliases: [(alias: String, name: String, place: CatalogPlace)] = []
    /// The event types that funnels name, with their places.
    var funnelEvents: [(type: String, place: CatalogPlace)] = []
    let knownEventTypes: Set<String>
    let knownMetrics: Set<String>
    /// Experiments that funnels name, with their places.
    var funnelExperiments: [(name: String, place: CatalogPlace)] = []
    let zones: ZoneDirectory?
    /// Where it stands what the document may say.
    var grammar = "docs/catalog.md"

    init(
        problems: [CatalogProblem], knownEventTypes: Set<String>, knownMetrics: Set<String>,
        zones: ZoneDirectory?
    ) {
        self.problems = problems
        self.knownEventTypes = knownEventTypes
        self.knownMetrics = knownMetrics
        self.zones = zones
    }

    func report(_ sentence: String, _ remedy: String, at place: CatalogPlace) {
        let problem = CatalogProblem(at: place, sentence: sentence, remedy: remedy)
        if seen.insert(problem).inserted { problems.append(problem) }
    }

    /// Reports a name that stands for nothing, with the one that was probably meant.
    func report(
        _ sentence: String, nearest name: String, among names: some Sequence<String>,
        otherwise remedy: String, at place: CatalogPlace
    ) {
        let near = nearest(to: name, among: names).map { "Did you mean `\($0)`?" }
        report(sentence, near ?? remedy, at: place)
    }

    /// A member that an event's schema does not have.
    func reportMember(
        _ name: String, of schema: EventSchema, _ names: [String], at place: CatalogPlace
    ) {
        report(
            "`\(schema.name)` has no member `\(name)`.", nearest: name, among: names,
            otherwise: names.isEmpty ? "It has none." : "It has \(names.joined(separator: ", ")).",
            at: place)
    }

    /// What was probably meant, for as many mistakes as a person reads.
    func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        guard suggestionsLeft > 0 else { return nil }
        suggestionsLeft -= 1
        return NearestName.of(name, among: candidates)
    }

    func use(_ name: String, as kind: CatalogNameKind, at place: CatalogPlace) {
        references.append(Reference(kind: kind, name: name, place: place))
    }

    func define(_ name: String, as kind: CatalogNameKind, at place: CatalogPlace) {
        if name.isEmpty || name.utf8.count > 256 {
            report(
                "The name of this \(kind.rawValue) has \(name.utf8.count) bytes.",
                "Names have 1 to 256 bytes.", at: place)
        }
        if let other = aliases[kind]?[name] {
            report(
                "`\(name)` is already an alias of the \(kind.rawValue) `\(other)`.",
                "Give one of the two another name.", at: place)
        }
        definitions[kind, default: [:]][name] = place
    }

    /// Notes another name of something that is already defined.
    func define(alias: String, of name: String, as kind: CatalogNameKind, at place: CatalogPlace) {
        if definitions[kind]?[alias] != nil {
            report(
                "The alias `\(alias)` is itself the name of a \(kind.rawValue).",
                "Remove the alias or rename the \(kind.rawValue).", at: place)
        } else if let other = aliases[kind]?.updateValue(name, forKey: alias), other != name {
            report(
                "The alias `\(alias)` belongs to `\(other)` already.",
                "Keep it at one \(kind.rawValue).", at: place)
        }
        aliases[kind, default: [:]][alias] = name
    }

    func names(of kind: CatalogNameKind) -> Set<String> {
        Set(references.lazy.filter { $0.kind == kind }.map(\.name))
    }

    /// A paywall for all contexts, or for all features, also serves a context without one of its
    /// own.
    private func isCovered(_ reference: Reference) -> Bool {
        guard reference.kind == .paywall, let defined = definitions[.paywall] else { return false }
        return Catalog.paywallFallbacks(reference.name).contains { defined[$0] != nil }
    }

    /// Reports every use of a name that nothing defines.
    func checkReferences() {
        for reference in references {
            let kind = reference.kind
            let defined = definitions[kind] ?? [:]
            guard defined[reference.name] == nil, !isCovered(reference) else { continue }
            let remedy: String
            if let meant = aliases[kind]?[reference.name] {
                remedy = "It is an alias; write `\(meant)`."
            } else if let near = nearest(to: reference.name, among: defined.keys) {
                remedy = "Did you mean `\(near)`?"
            } else {
                remedy = "Define it, or remove the use."
            }
            report(
                "There is no \(kind.rawValue) named `\(reference.name)`.", remedy,
                at: reference.place)
        }
    }
}

extension CatalogProblem {
    init(at place: CatalogPlace, sentence: String, remedy: String) {
        self.init(
            line: place.line, column: place.column, path: place.path, sentence: sentence,
            remedy: remedy)
    }
}
