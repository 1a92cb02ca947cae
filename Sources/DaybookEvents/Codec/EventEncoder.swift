/// Canonical draft to row: fields with a slot go there, the rest stays JSON.
public enum EventEncoder {
    /// - Parameters:
    ///   - draft: Canonical (`EventValidator.canonical`), with `occurredAt` and a key.
    ///   - table: What is known.
    public static func row(
        _ draft: EventDraft, names: inout NameTable, table: SchemaTable = Vocabulary.table
    ) -> EventRow {
        let schema = table.schema(named: draft.type.rawValue, version: draft.version)
        var memo = NameMemo()
        var (row, texts) = encode(draft, schema, table)
        memo.number(&row, texts, &names)
        return row
    }

    /// What needs no ledger: the row without its place in one and without the numbers of its names, and the names.
    ///
    /// Why: any thread can work this out; only numbering the names (`NameMemo.number`) needs the one that writes.
    /// - Parameters:
    ///   - draft: Canonical, with `occurredAt` and a key.
    ///   - schema: Of the draft's type and version; `nil` when this build does not know it.
    package static func encode(
        _ draft: EventDraft, _ schema: EventSchema?, _ table: SchemaTable = Vocabulary.table
    ) -> (row: EventRow, names: RowDigest.Names) {
        let key = draft.source.key ?? ""
        var event = Event()
        event.occurredAt = draft.occurredAt ?? 0
        event.signedAt = draft.source.signedAt ?? event.occurredAt
        event.sequence = draft.sequence ?? 0
        event.key = Reference(key)
        event.trustCode = draft.trust.rawValue
        if let schema { event.typeCode = schema.type.rawValue }
        var slots = SlotWriter(
            EventRow(
                event: event, key: key, reference: nil,
                schemaVersion: UInt16(clamping: draft.version), rest: nil))
        slots.names.source = draft.source.kind
        slots.names.customer = draft.subject ?? draft.data["app_account_token"]?.text ?? ""
        var rest = RowRest()
        if schema?.hasProfileSlot ?? false {
            rest.profile = draft.profile
        } else {
            slots.names.profile = draft.profile ?? ""
        }
        rest.isSequenceGiven = draft.sequence == 0
        rest.isSignedGiven = draft.source.signedAt == event.occurredAt
        // A customer that came through the store's token is not a named subject.
        rest.namesNoCustomer = draft.subject == nil && !slots.names.customer.isEmpty
        rest.extras = draft.extras
        if let schema {
            let isLineage = EventRouter.kind(of: draft, schema) == .lineage
            rest.data = slots.take(draft.data, schema, isLineage: isLineage)
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
                _ = slots.take(Upcaster.upcast(draft.data, schema), current, isLineage: isLineage)
            }
        } else {
            rest.data = draft.data
            slots.names.nameA = draft.type.rawValue
        }
        slots.row.rest = rest.text
        return slots.finished()
    }
}

/// Moves the fields of a draft into the slots of its row.
private struct SlotWriter: ~Copyable {
    /// Without its names and without its place in the ledger.
    var row: EventRow
    var names = RowDigest.Names()

    init(_ row: consuming EventRow) { self.row = row }

    consuming func finished() -> (row: EventRow, names: RowDigest.Names) { (row, names) }

    /// Moves fields from the data into their slots.
    /// - Returns: What is left of the data.
    mutating func take(
        _ data: JSONObject, _ schema: EventSchema, isLineage: Bool
    ) -> JSONObject {
        var taken = TakenMembers()
        for (index, field) in schema.fields.enumerated() {
            guard let slot = field.slot, let value = data.value(at: field.path) else { continue }
            switch slot {
            case .nameA: names.nameA = value.text ?? ""
            case .nameB: names.nameB = value.text ?? ""
            case .nameC: names.nameC = value.text ?? ""
            case .profile: names.profile = value.text ?? ""
            case .reference:
                row.reference = value.text
                row.event.reference = Reference(value.text ?? "")
            case .amount:
                guard case .word(let words) = field.kind else {
                    row.event.amount = value.integer ?? Event.absent
                    break
                }
                let (number, isExact) = FlagBits.encode(value, words)
                row.event.amount = Int64(number)
                if !isExact { continue }
            case .money: row.event.money = value.integer ?? Event.absent
            case .timeA: row.event.timeA = value.integer ?? Event.absent
            case .timeB: row.event.timeB = value.integer ?? Event.absent
            case .timeC: row.event.timeC = value.integer ?? Event.absent
            case .stream: if !isLineage { continue }
            case .flags(let shift, let width):
                let (bits, isExact) = FlagBits.encode(value, field.kind, width: width)
                row.event.flags |= bits << UInt16(shift)
                if !isExact { continue }
            }
            taken.note(index, field)
        }
        return taken.rest(of: data, schema)
    }
}

/// The fields that went into slots, a bit each by their places in the schema.
private struct TakenMembers {
    private var places: UInt64 = 0
    /// How many of them are members of the outermost object.
    private var outerCount = 0

    /// - Precondition: The schema has at most 64 fields (`SchemaTable`).
    mutating func note(_ index: Int, _ field: EventField) {
        places |= 1 << UInt64(index)
        if field.path.count == 1 { outerCount += 1 }
    }

    func rest(of data: JSONObject, _ schema: EventSchema) -> JSONObject {
        // Each is there, and none stands twice.
        if outerCount == data.members.count { return JSONObject() }
        var rest = data
        for (index, field) in schema.fields.enumerated() where places >> UInt64(index) & 1 == 1 {
            rest.remove(at: field.path)
        }
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

    /// Gives a row the numbers of its names; new names are given theirs now.
    /// - Parameters:
    ///   - row: As `EventEncoder.encode` made it.
    ///   - texts: The names that it made with the row.
    ///   - table: The one table of names with which this memo is used.
    package mutating func number(
        _ row: inout EventRow, _ texts: borrowing RowDigest.Names, _ table: inout NameTable
    ) {
        row.event.source = source.intern(texts.source, &table)
        row.event.customer = customer.intern(texts.customer, &table)
        row.event.profile = profile.intern(texts.profile, &table)
        row.event.nameA = nameA.intern(texts.nameA, &table)
        row.event.nameB = nameB.intern(texts.nameB, &table)
        row.event.nameC = nameC.intern(texts.nameC, &table)
    }
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
