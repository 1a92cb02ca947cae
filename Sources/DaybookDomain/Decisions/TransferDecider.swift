public import DaybookEvents

/// What a command about one lineage is decided upon (rule 7).
public struct LineageCase: Sendable, Equatable {
    /// `apple:2000000123`.
    public var name: String
    /// Whether any event tells of it.
    public var isKnown: Bool
    /// The owner now, as that customer is shown; `nil`: none.
    public var owner: String?
    /// Whether the subject is that customer, under whatever id.
    public var isSubjects: Bool
    /// Whether anything is known of the customer who is to get it.
    public var isRecipientKnown: Bool
    /// The latest transfer of just this lineage, in canonical order.
    public var latest: Transfer?

    /// A transfer that was recorded.
    public struct Transfer: Sendable, Equatable {
        /// The kind of the event's source.
        public var source: String
        /// The event's key, unique within that kind.
        public var key: String
        /// The customer who gave it away, by the id that the event has.
        public var from: String
        /// The customer who got it, by the id that the event has.
        public var to: String
        /// Exclusive; `nil`: not promised.
        public var reversibleUntil: Int64?
        /// Whether it took an earlier one back.
        public var isUndo: Bool

        /// Creates a transfer; nothing is checked.
        public init(
            source: String, key: String, from: String, to: String, reversibleUntil: Int64?,
            isUndo: Bool
        ) {
            self.source = source
            self.key = key
            self.from = from
            self.to = to
            self.reversibleUntil = reversibleUntil
            self.isUndo = isUndo
        }
    }

    /// Creates a case; the defaults are those of a lineage of which nothing is known.
    public init(
        name: String, isKnown: Bool = false, owner: String? = nil, isSubjects: Bool = false,
        isRecipientKnown: Bool = false, latest: Transfer? = nil
    ) {
        self.name = name
        self.isKnown = isKnown
        self.owner = owner
        self.isSubjects = isSubjects
        self.isRecipientKnown = isRecipientKnown
        self.latest = latest
    }
}

/// How a lineage changes its owner, in the words of the vocabulary.
public enum LineageTransfer {
    /// How long a transfer can be taken back, exclusive: time enough for the other customer to notice and ask for it.
    public static let reversibleMilliseconds: Int64 = 30 * 86_400_000
    /// The member that names the transfer which an event takes back: `{"source": …, "key": …}`.
    public static let undoes = "undoes"

    /// The data of `purchase.transferred`.
    /// - Parameters:
    ///   - lineage: `store:lineage`.
    ///   - rule: `restore`, `login`, `admin` or `app_account_token` (docs/events.md).
    public static func data(
        _ lineage: String, from giver: String, to recipient: String, rule: String,
        reversibleUntil: Int64?
    ) -> JSONObject {
        let parts = lineage.split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var data: JSONObject = [
            "from": .string(giver), "to": .string(recipient), "rule": .string(rule),
        ]
        if parts.count == 2 { data["store"] = .string(String(parts[0])) }
        data["original_transaction_id"] = .string(String(parts.last ?? ""))
        if let reversibleUntil { data["reversible_until"] = .integer(reversibleUntil) }
        return data
    }
}

/// Decides which lineage may go to which customer, and which transfer may be taken back.
struct TransferDecider {
    let decider: Decider
    let check: Check

    func decide() throws(Rejection) -> Verdict {
        let subject = decider.request.subject
        guard let lineage = decider.lineage else { return Verdict(events: []) }
        guard decider.request.reason?.isEmpty == false else { throw .reasonNeeded }
        guard lineage.isKnown else { throw .unknownLineage(lineage.name) }
        guard lineage.isSubjects else {
            throw .notOwner(lineage: lineage.name, subject: subject, owner: lineage.owner)
        }
        switch decider.request.command {
        case .transferLineage(_, let recipient):
            guard !decider.isOfPerson(recipient) else {
                throw .sameCustomer(subject, recipient)
            }
            if check.catalog.policies.refusesUnknownSubjects, !lineage.isRecipientKnown {
                throw .unknownSubject(recipient)
            }
            let end = decider.now + LineageTransfer.reversibleMilliseconds
            return verdict(lineage, to: recipient, reversibleUntil: end)
        case .undoTransfer(_, let isForced):
            guard let latest = lineage.latest, !latest.isUndo, isSubject(latest.to),
                !isSubject(latest.from)
            else { throw .nothingToUndo(lineage: lineage.name) }
            let isOpen = latest.reversibleUntil.map { decider.now < $0 } ?? false
            guard isOpen || isForced else {
                throw .transferFinal(lineage: lineage.name, until: latest.reversibleUntil)
            }
            return verdict(lineage, to: latest.from, reversibleUntil: nil, undoing: latest)
        default: return Verdict(events: [])
        }
    }

    private func isSubject(_ name: String) -> Bool { decider.isOfPerson(name) }

    private func verdict(
        _ lineage: LineageCase, to recipient: String, reversibleUntil: Int64?,
        undoing undone: LineageCase.Transfer? = nil
    ) -> Verdict {
        var data = LineageTransfer.data(
            lineage.name, from: decider.request.subject, to: recipient, rule: "admin",
            reversibleUntil: reversibleUntil)
        // What was burned stays burned: it is not given a second time.
        data["units"] = check.usage.creditLeft(ofLineage: lineage.name).map {
            .integer(min($0, EventBounds.amountMax))
        }
        if let undone {
            data[LineageTransfer.undoes] = [
                "source": .string(undone.source), "key": .string(undone.key),
            ]
        }
        var draft = decider.event(.purchaseTransferred, data)
        draft.trust = .admin
        return Verdict(events: [draft])
    }
}
