/// Canonical draft to row: fields with a slot go there, the rest stays JSON.
public enum EventEncoder {
    /// - Parameters:
    ///   - draft: Canonical (`EventValidator.canonical`), with `occurredAt` and a key.
    ///   - table: What is known.
    public static func row(
        _ draft: EventDraft, names: inout NameTable, table: SchemaTable = Vocabulary.table
    ) -> EventRow {
        let schema = table.schema(named: draft.type, version: draft.version)
        var memo = NameMemo()
        return encode(draft, schema, table).row(&names, &memo)
    }

    /// What needs no ledger: everything but the numbers of names.
    /// - Parameters:
    ///   - draft: Canonical, with `occurredAt` and a key.
    ///   - schema: Of the draft's type and version; `nil` when this build does not know it.
    package static func encode(
        _ draft: EventDraft, _ schema: EventSchema?, _ table: SchemaTable = Vocabulary.table
    ) -> EncodedEvent {
        let key = draft.source.key ?? ""
        var event = Event()
        event.occurredAt = draft.occurredAt ?? 0
        event.signedAt = draft.source.signedAt ?? event.occurredAt
        event.sequence = draft.sequence ?? 0
        event.key = Reference(key)
        event.trustCode = draft.trust.rawValue
        if let schema { event.typeCode = schema.type.rawValue }
        var encoded = EncodedParts(
            EventRow(
                event: event, key: key, reference: nil,
                schemaVersion: UInt16(clamping: draft.version), rest: nil))
        encoded.source = draft.source.kind
        encoded.customer = draft.subject ?? draft.data["app_account_token"]?.text ?? ""
        var rest = RowRest()
        if schema?.hasProfileSlot ?? false {
            rest.profile = draft.profile
        } else {
            encoded.profile = draft.profile ?? ""
        }
        rest.isSequenceGiven = draft.sequence == 0
        rest.isSignedGiven = draft.source.signedAt == event.occurredAt
        // A customer that came through the store's token is not a named subject.
        rest.namesNoCustomer = draft.subject == nil && !encoded.customer.isEmpty
        rest.extras = draft.extras
        if let schema {
            let isLineage = EventRouter.kind(of: draft, schema) == .lineage
            rest.data = encoded.take(draft.data, schema, isLineage: isLineage)
            if isLineage, let original = draft.data["original_transaction_id"],
                !haveSameBytes(original.text, EventRouter.lineage(of: draft, schema))
            {
                // The name of the stream gives it back only where it is named after it.
                rest.data["original_transaction_id"] = original
            }
            if let current = table.current(code: schema.type.rawValue),
                current.version != schema.version
            {
                // What a fold needs and the older version has no slot for; the data stay whole beside it.
                _ = encoded.take(Upcaster.upcast(draft.data, schema), current, isLineage: isLineage)
            }
        } else {
            rest.data = draft.data
            encoded.nameA = draft.type
        }
        encoded.content.rest = rest.text
        return EncodedEvent(encoded)
    }
}

/// An event as a row whose names are still texts.
///
/// Why: a row can then be made by any thread; only numbering its names needs the one that writes. A reference to what
/// never changes: it has many parts to count when it is handed on.
package final class EncodedEvent: Sendable {
    fileprivate let parts: EncodedParts

    fileprivate init(_ parts: EncodedParts) { self.parts = parts }

    /// The row, its names numbered; new ones are given now.
    /// - Parameter memo: For one table of names alone.
    package func row(_ names: inout NameTable, _ memo: inout NameMemo) -> EventRow {
        var row = parts.content
        row.event.source = memo.source.intern(parts.source, &names)
        row.event.customer = memo.customer.intern(parts.customer, &names)
        row.event.profile = memo.profile.intern(parts.profile, &names)
        row.event.nameA = memo.nameA.intern(parts.nameA, &names)
        row.event.nameB = memo.nameB.intern(parts.nameB, &names)
        row.event.nameC = memo.nameC.intern(parts.nameC, &names)
        return row
    }
}

extension EncodedEvent {
    /// The digest of the row in its stream, which needs no numbers of names.
    package func digest(
        _ digest: inout RowDigest, in stream: StreamName, request: Int64
    ) -> HistoryHash {
        var names = RowDigest.Names()
        names.source = parts.source
        names.customer = parts.customer
        names.profile = parts.profile
        names.nameA = parts.nameA
        names.nameB = parts.nameB
        names.nameC = parts.nameC
        var row = parts.content
        row.requestDigest = request
        return digest.of(row, names, in: stream)
    }
}

private struct EncodedParts: Sendable {
    /// The row without its names and without its place in the ledger.
    fileprivate var content: EventRow
    fileprivate var source = ""
    fileprivate var customer = ""
    fileprivate var profile = ""
    fileprivate var nameA = ""
    fileprivate var nameB = ""
    fileprivate var nameC = ""

    fileprivate init(_ content: EventRow) { self.content = content }

    /// Moves fields from the data into their slots.
    /// - Returns: What is left of the data.
    fileprivate mutating func take(
        _ data: JSONObject, _ schema: EventSchema, isLineage: Bool
    ) -> JSONObject {
        var taken = TakenMembers()
        for field in schema.fields {
            guard let slot = field.slot, let value = data.value(at: field.path) else { continue }
            switch slot {
            case .nameA: nameA = value.text ?? ""
            case .nameB: nameB = value.text ?? ""
            case .nameC: nameC = value.text ?? ""
            case .profile: profile = value.text ?? ""
            case .reference:
                content.reference = value.text
                content.event.reference = Reference(value.text ?? "")
            case .amount:
                guard case .word(let words) = field.kind else {
                    content.event.amount = value.integer ?? Event.absent
                    break
                }
                let (number, isExact) = FlagBits.encode(value, words)
                content.event.amount = Int64(number)
                if !isExact { continue }
            case .money: content.event.money = value.integer ?? Event.absent
            case .timeA: content.event.timeA = value.integer ?? Event.absent
            case .timeB: content.event.timeB = value.integer ?? Event.absent
            case .timeC: content.event.timeC = value.integer ?? Event.absent
            case .stream: if !isLineage { continue }
            case .flags(let shift, let width):
                let (bits, isExact) = FlagBits.encode(value, field.kind, width: width)
                content.event.flags |= bits << UInt16(shift)
                if !isExact { continue }
            }
            taken.note(field.path)
        }
        return taken.rest(of: data)
    }
}

/// The members that went into slots.
private struct TakenMembers {
    private var paths: [[String]] = []
    /// How many of them are members of the outermost object.
    private var outerCount = 0

    mutating func note(_ path: [String]) {
        paths.append(path)
        if path.count == 1 { outerCount += 1 }
    }

    func rest(of data: JSONObject) -> JSONObject {
        // Each is there, and none stands twice.
        if outerCount == data.members.count { return JSONObject() }
        var rest = data
        for path in paths { rest.remove(at: path) }
        return rest
    }
}

/// The last name of each slot and its number: neighbours mostly share them, and comparing is cheaper than looking up.
package struct NameMemo {
    package struct Last {
        private var text = ""
        private var id: NameID = 0

        package init() {}

        package mutating func intern(_ text: String, _ names: inout NameTable) -> NameID {
            if text.isEmpty { return 0 }
            if haveSameBytes(text, self.text) { return id }
            note(text, names.intern(text))
            return id
        }

        /// Remembers a name that was found by other means.
        package mutating func note(_ text: String, _ id: NameID) {
            self.text = text
            self.id = id
        }
    }

    package var source = Last()
    package var customer = Last()
    fileprivate var profile = Last()
    fileprivate var nameA = Last()
    fileprivate var nameB = Last()
    fileprivate var nameC = Last()

    package init() {}
}

/// Lifts the data of an older version of a type to the newest one.
public enum Upcaster {
    /// The data as the newest version would have it.
    public static func upcast(_ data: JSONObject, _ schema: EventSchema) -> JSONObject {
        switch (schema.type, schema.version) {
        case (.gaugePinned, 1):
            // Version 1 said `profile` or `item`; version 2 has one `ref` and may name the meter.
            var newer = data
            newer["ref"] = data["profile"] ?? data["item"]
            newer["profile"] = nil
            newer["item"] = nil
            return newer
        default: return data
        }
    }
}
