package import DaybookDomain
package import DaybookEvents
import DaybookIngest

/// Finds unknown names in an app's own events: a typing error would be kept for ever, and no answer would ever read it.
///
/// What stores say, and what comes with a recorded time out of an export, which may be of a newer build, is no typing
/// error: it is kept and counted.
package struct UnknownNames: Sendable, Equatable {
    /// An unknown name.
    package struct Finding: Sendable, Equatable {
        package var code: EventProblem.Code
        /// Where it stands: `type`, `occured_at`, `data.meter`.
        package var member: String
        package var name: String

        /// `event type`, `member` or `meter`, for counts.
        package var kind: String {
            switch code {
            case .unknownType: "type"
            case .unknownMember: "member"
            default: String(member.dropFirst("data.".count))
            }
        }

    }

    /// Why an event is refused, with what was probably meant.
    package func problem(_ finding: Finding) -> EventProblem {
        let name = finding.name
        let (sentence, known) =
            switch finding.code {
            case .unknownType:
                (
                    "\"\(name)\" is no event type that this build or the catalog knows",
                    Vocabulary.names.union(eventNames.map(\.rawValue))
                )
            case .unknownMember: ("is no member of an event", Self.members)
            default:
                (
                    "\(finding.kind == "every" ? "there is" : "the catalog has") no \(finding.kind) \"\(name)\"",
                    known(finding.kind)
                )
            }
        return EventProblem(
            finding.code, finding.member, sentence + NearestName.hint(name, among: known))
    }

    private func known(_ kind: String) -> Set<String> {
        switch kind {
        case "meter": meters
        case "feature": features
        case "every": Set(Vocabulary.recurrences)
        default: entitlements
        }
    }

    /// What an envelope may have beside what is read: said by commands, by stores' readers, and about corrections.
    private static let extras: Set<String> = [
        "id", "actor", "reason", "causation", "correlation", "ticket", "client_at", "skew_ms",
        "raw_sha256", EventName.derivedFrom,
    ]
    private static let members: Set<String> = extras.union([
        "type", "v", "environment", "subject", "profile", "occurred_at", "recorded_at", "sequence",
        "source", "trust", "data", "app",
    ])
    private static let storeSources: Set<String> = [
        "apple_jws", "apple_asn_v2", "revenuecat", "revenuecat_subscriber",
    ]

    private let hasCatalog: Bool
    private let meters: Set<String>
    private let features: Set<String>
    private let entitlements: Set<String>
    private let eventNames: Set<EventTypeName>

    /// - Parameter catalogs: Those whose names are known.
    package init(_ catalogs: [Catalog]) {
        hasCatalog = !catalogs.isEmpty
        let previews = catalogs.flatMap { catalog in
            catalog.features.filter { $0.previewUses > 0 }
                .map { CatalogStructure.previewPrefix + $0.name }
        }
        meters = Set(catalogs.flatMap { $0.meters.flatMap { [$0.name] + $0.aliases } } + previews)
        features = Set(catalogs.flatMap { $0.features.flatMap { [$0.name] + $0.aliases } })
        entitlements = Set(catalogs.flatMap { $0.entitlements.map(\.name) })
        eventNames = Set(
            catalogs.flatMap { $0.eventNames.map { EventTypeName(rawValue: $0.name) } })
    }

    /// Whether an event with unknown names is kept and counted: a store stated it, or it was recorded before.
    package static func isKept(_ draft: EventDraft) -> Bool {
        draft.trust == .verified || draft.recordedAt != nil
            || storeSources.contains(draft.source.kind)
            || draft.version > 1
                && Vocabulary.schema(named: draft.type, version: draft.version) == nil
    }

    /// Members of the envelope that nothing reads.
    package static func unknownMembers(of draft: EventDraft) -> [Finding] {
        draft.extras.members.filter { !extras.contains($0.name) }.map {
            Finding(code: .unknownMember, member: $0.name, name: $0.name)
        }
    }

    /// In the order of the envelope's members; empty for nearly all events.
    package func findings(in draft: EventDraft) -> [Finding] {
        var found = Self.unknownMembers(of: draft)
        guard let schema = Vocabulary.schema(named: draft.type, version: draft.version) else {
            if !Vocabulary.isKnown(draft.type), !eventNames.contains(draft.type) {
                found.append(Finding(code: .unknownType, member: "type", name: draft.type.rawValue))
            }
            return found
        }
        guard hasCatalog else { return found }
        switch schema.type {
        case .usageRecorded, .usageReserved, .usageReversed, .usageReset, .gaugePinned:
            found += finding(in: draft, "meter", meters)
        case .grantIssued:
            // The fold takes either for the other.
            found += finding(in: draft, "meter", meters.union(features))
            found += finding(in: draft, "feature", features.union(meters))
            found += finding(in: draft, "entitlement", entitlements)
            found += finding(in: draft, "every", Set(Vocabulary.recurrences))
        default: break
        }
        return found
    }

    private func finding(
        in draft: EventDraft, _ member: String, _ known: Set<String>
    ) -> [Finding] {
        guard let name = draft.data[member]?.text, !known.contains(name) else { return [] }
        return [
            Finding(code: .unknownName, member: "data.\(member)", name: name)
        ]
    }
}
