import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// What has to be done so that a payload's events are what it says.
enum PayloadChange {
    case amend(ReadEventRow, patch: JSONObject, to: EventDraft, from: EventDraft)
    case replace(ReadEventRow, by: EventDraft, from: EventDraft)
    case void(ReadEventRow)
    case add(EventDraft)
}

/// Compares the recorded events of a payload, as they are corrected, with what the payload says.
///
/// An event keeps the key that the mapping gives it. What takes its place has that key with `~1`, `~2`, … behind it, so
/// that from the first one the one that counts is found: a chain. What a person corrected stays corrected: an
/// event that a person voided is not brought back, and a field that a person amended keeps its value.
struct PayloadComparison {
    /// How often one event may be put in the place of another.
    private static let chainCountMax = 10_000

    let state: LedgerState
    let store: any EventStore
    private(set) var changes: [PayloadChange] = []
    private(set) var settled = 0

    /// - Parameter drafts: What the payload says, canonical.
    mutating func compare(_ run: PayloadRun, with drafts: [EventDraft]) throws {
        for event in run.events where event.isRoot {
            let draft = drafts.first { haveSameBytes($0.source.key, event.key) }
            try compare(event, draft, run)
        }
        guard run.first.marker == nil else { return }
        try addMissing(run, drafts)
    }

    // MARK: What is there

    private mutating func compare(
        _ root: ReadEventRow, _ draft: EventDraft?, _ run: PayloadRun
    ) throws {
        var current = root
        var draft = draft
        draft?.trust = root.event.draft.trust
        if let told = draft, DocumentNews.isMoved(root.event.draft) {
            draft = try DocumentNews.moved(told, to: root.event.stream.name)
        }
        // A claim happened when it was made. Where an earlier version recorded it as a part of the purchase, that is
        // when this came.
        if let known = draft, known.occurredAt == nil {
            let isClaim = known.type == root.event.draft.type
            draft?.occurredAt = isClaim ? root.event.draft.occurredAt : root.event.recordedAt
        }
        var patches: [JSONObject] = []
        for number in 1...Self.chainCountMax {
            patches += try foreignPatches(of: current)
            switch standing(of: current) {
            case .settled:
                settled += 1
                return
            case .counts: return try judge(current, draft, patches, root, number)
            case .replaced: break
            }
            guard let next = try successor(of: root, number) else {
                if let draft {
                    changes.append(
                        .add(successor(draft.patched(by: patches), root, number)))
                }
                return
            }
            current = next
        }
    }

    private enum Standing { case counts, replaced, settled }

    private func standing(of event: ReadEventRow) -> Standing {
        let target = event.eventKey
        let entries = state.corrections.entries(of: target)
        let foreign = entries.filter { $0.isVoiding && !isOurs($0) }
        if foreign.contains(where: { !isVoid($0) }) { return .settled }
        // A correction of ours that was taken back stays so.
        if entries.contains(where: { isOurs($0) && isVoid($0) }) { return .settled }
        return entries.contains { $0.isVoiding && isOurs($0) } ? .replaced : .counts
    }

    private func isOurs(_ entry: CorrectionBook.Entry) -> Bool {
        entry.own.source == state.names.id(of: EventSource.reinterpretation)
    }

    private func isVoid(_ entry: CorrectionBook.Entry) -> Bool {
        state.corrections.isVoid(entry.own, cut: Int64.max)
    }

    private mutating func judge(
        _ event: ReadEventRow, _ draft: EventDraft?, _ patches: [JSONObject],
        _ root: ReadEventRow, _ number: Int
    ) throws {
        guard let draft else { return changes.append(.void(event)) }
        let wanted = draft.patched(by: patches)
        let amendments = state.corrections.amendments(of: event.eventKey, cut: Int64.max)
        let recorded =
            amendments.isEmpty
            ? event.event.draft
            : try Amendments(store: store, names: state.names).apply(
                amendments, to: event.row, in: event.event.stream
            ).draft
        if recorded.saysTheSame(as: wanted) { return }
        let patch = wanted.data.difference(from: recorded.data)
        if let amended = recorded.amended(by: patch), amended.saysTheSame(as: wanted) {
            changes.append(.amend(event, patch: patch, to: wanted, from: recorded))
        } else {
            changes.append(
                .replace(event, by: successor(wanted, root, number), from: recorded))
        }
    }

    /// Amendments that reinterpretation did not make: what they say outranks every reading.
    private func foreignPatches(of event: ReadEventRow) throws -> [JSONObject] {
        let positions = state.corrections.entries(of: event.eventKey)
            .filter { !$0.isVoiding && !isOurs($0) && !isVoid($0) }.map(\.position)
        guard !positions.isEmpty else { return [] }
        return try Amendments(store: store, names: state.names).patches(
            positions, event.event.draft.environment
        ).map(\.patch)
    }

    // MARK: What takes its place

    /// The event of a chain with a number; `nil` where the chain ends before.
    private func successor(of root: ReadEventRow, _ number: Int) throws -> ReadEventRow? {
        var key = root.eventKey
        key.key = Reference(Self.successorKey(root.key, number))
        guard let position = try state.position(of: key, in: store),
            let row = try store.rows(at: [position]).first
        else { return nil }
        let event = try state.recorded(row)
        return ReadEventRow(row: row, event: event)
    }

    private func successor(
        _ draft: EventDraft, _ root: ReadEventRow, _ number: Int
    ) -> EventDraft {
        var draft = draft
        draft.source.key = Self.successorKey(root.key, number)
        return draft.marked(root.key, like: root)
    }

    static func successorKey(_ key: String, _ number: Int) -> String {
        EventSource.boundedKey("\(key)~\(number)")
    }

    // MARK: What is missing

    private mutating func addMissing(_ run: PayloadRun, _ drafts: [EventDraft]) throws {
        var missing: [EventDraft] = []
        var isHome = false
        for draft in drafts {
            if run.events.contains(where: { haveSameBytes($0.key, draft.source.key) }) {
                isHome = true
            } else if try state.position(of: draft, in: store) == nil {
                missing.append(draft)
            } else if !isHome {
                // The payload was taken in twice: it is asked where the first of its events is.
                return
            }
        }
        let aliases = [run.first.event.position - 1, Int64.max].map {
            KnownAliases(state: state, cut: $0)
        }
        if let news = try documentNews(missing, of: drafts) { missing = news }
        for draft in missing {
            // What was known when the webhook came was not recorded again.
            if draft.type == .subjectAliased, aliases.contains(where: { $0.has(draft) }) {
                continue
            }
            var draft = draft
            if draft.type != .purchaseClaimed { draft.trust = run.first.event.draft.trust }
            draft.occurredAt = draft.occurredAt ?? run.first.event.recordedAt
            changes.append(.add(draft.marked(draft.source.key ?? "", like: run.first)))
        }
    }

    /// What a subscriber document says is compared with how things stand, as when it came; `nil` for other payloads.
    private func documentNews(
        _ missing: [EventDraft], of drafts: [EventDraft]
    ) throws -> [EventDraft]? {
        guard
            let draft = missing.first(where: {
                haveSameBytes($0.source.kind, RevenueCatSubscriberReader.sourceKind)
                    && $0.type != .subjectAliased
            }), let subject = draft.subject
        else { return nil }
        let builder = CaseBuilder(state: state, cut: Int64.max, at: EventBounds.timeMax)
        var news = try DocumentNews(drafts, of: subject, draft.environment, builder)
        for draft in missing { try news.take(draft, isRecorded: false) }
        return news.drafts
    }
}

extension EventDraft {
    /// Whether two events say the same, whatever their keys and their trust.
    fileprivate func saysTheSame(as other: EventDraft) -> Bool {
        type == other.type && haveSameBytes(subject, other.subject)
            && haveSameBytes(profile, other.profile) && occurredAt == other.occurredAt
            && (source.signedAt ?? occurredAt) == (other.source.signedAt ?? other.occurredAt)
            && data == other.data
    }

    /// With the patches that can be applied.
    fileprivate func patched(by patches: [JSONObject]) -> EventDraft {
        patches.reduce(self) { $0.amended(by: $1) ?? $0 }
    }

    fileprivate func marked(_ key: String, like event: ReadEventRow) -> EventDraft {
        var draft = self
        draft.extras["raw_sha256"] = .string(event.sha256)
        draft.extras[ReadEventRow.marker] = .string(key)
        return draft
    }
}

extension JSONObject {
    /// What has to be replaced in another object so that it is this one; null where a member has to go.
    fileprivate func difference(from other: JSONObject) -> JSONObject {
        var patch = JSONObject()
        for member in members where other[member.name] != member.value {
            patch[member.name] = member.value
        }
        for member in other.members where self[member.name] == nil {
            patch[member.name] = JSONValue.null
        }
        return patch
    }
}
