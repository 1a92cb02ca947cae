/// Canonical draft to row: fields with a slot go there, the rest stays JSON.
public enum EventEncoder {
    /// - Parameters:
    ///   - draft: Canonical (`EventValidator.canonical`), with `occurredAt` and a key.
    ///   - table: What is known.
    public static func row(
        _ draft: EventDraft, names: inout NameTable, table: SchemaTable = Vocabulary.table
    ) -> EventRow {
        let key = draft.source.key ?? ""
        let schema = table.schema(named: draft.type, version: draft.version)
        var event = Event()
        var rest = RowRest()
        event.occurredAt = draft.occurredAt ?? 0
        event.signedAt = draft.source.signedAt ?? event.occurredAt
        event.sequence = draft.sequence ?? 0
        event.key = Reference(key)
        event.source = names.intern(draft.source.kind)
        event.trustCode = draft.trust.rawValue
        event.party = names.intern(draft.subject ?? draft.data["app_account_token"]?.text ?? "")
        if schema?.hasProfileSlot ?? false {
            rest.profile = draft.profile
        } else {
            event.profile = names.intern(draft.profile ?? "")
        }
        rest.isSequenceGiven = draft.sequence == 0
        rest.isSignedGiven = draft.source.signedAt == event.occurredAt
        // A customer that came through the store's token is not a named subject.
        rest.isNobody = draft.subject == nil && event.party != 0
        rest.extras = draft.extras
        rest.data = draft.data
        var reference: String?
        if let schema {
            event.typeCode = schema.type.rawValue
            let isLine = EventRouter.kind(of: draft, schema) == .line
            take(&rest.data, schema, &event, &reference, &names, isLine: isLine)
            if let current = table.current(code: schema.type.rawValue),
                current.version != schema.version
            {
                // What a fold needs and the older version has no slot for; the data stay whole beside it.
                var newer = Upcaster.upcast(draft.data, schema)
                take(&newer, current, &event, &reference, &names, isLine: isLine)
            }
        } else {
            event.nameA = names.intern(draft.type)
        }
        return EventRow(
            event: event, key: key, reference: reference,
            schemaVersion: UInt16(clamping: draft.version), rest: rest.text)
    }

    /// Moves fields from the data into their slots.
    private static func take(
        _ data: inout JSONObject, _ schema: EventSchema, _ event: inout Event,
        _ reference: inout String?, _ names: inout NameTable, isLine: Bool
    ) {
        for field in schema.fields {
            guard let slot = field.slot, let value = data.value(at: field.path) else { continue }
            switch slot {
            case .nameA: event.nameA = names.intern(value.text ?? "")
            case .nameB: event.nameB = names.intern(value.text ?? "")
            case .nameC: event.nameC = names.intern(value.text ?? "")
            case .profile: event.profile = names.intern(value.text ?? "")
            case .reference:
                reference = value.text
                event.reference = Reference(value.text ?? "")
            case .amount: event.amount = value.integer ?? Event.absent
            case .money: event.money = value.integer ?? Event.absent
            case .timeA: event.timeA = value.integer ?? Event.absent
            case .timeB: event.timeB = value.integer ?? Event.absent
            case .timeC: event.timeC = value.integer ?? Event.absent
            case .stream: if !isLine { continue }
            case .flags(let shift, let width):
                let (bits, isExact) = FlagBits.encode(value, field.kind, width: width)
                event.flags |= bits << UInt16(shift)
                if !isExact { continue }
            }
            data.remove(at: field.path)
        }
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
