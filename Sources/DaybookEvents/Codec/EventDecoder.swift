/// A row that does not give back the event that was recorded.
public struct RowDamage: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where the row stands in the ledger.
    public let position: Int64
    /// What is wrong with it; holds nothing that the event says.
    public let reason: String
    /// What can still be read of it.
    public let readable: RecordedEvent

    /// One sentence with the position and the reason.
    public var description: String {
        "the event at position \(position) cannot be read whole: \(reason)"
    }
}

/// Row to cold event: the inverse of `EventEncoder`.
public enum EventDecoder {
    /// The event that was recorded.
    /// - Throws: `RowDamage` when the row does not give all of it; nothing is left out in silence.
    public static func recorded(
        _ row: EventRow, stream: StreamName, names: NameTable, table: SchemaTable = Vocabulary.table
    ) throws(RowDamage) -> RecordedEvent {
        try recorded(row, stream: stream, table) { names[$0] }
    }

    /// The same, for the next of many events of one ledger.
    package static func recorded(
        _ row: EventRow, stream: StreamName, names: inout NameTexts
    ) throws(RowDamage) -> RecordedEvent {
        try recorded(row, stream: stream, Vocabulary.table) { names.text(of: $0) }
    }

    private static func recorded(
        _ row: EventRow, stream: StreamName, _ table: SchemaTable, _ text: (NameID) -> String
    ) throws(RowDamage) -> RecordedEvent {
        let rest: RowRest
        var reason: String?
        do throws(RowRest.Unreadable) {
            rest = try RowRest(reading: row.rest)
        } catch {
            rest = RowRest()
            reason = "its JSON part is damaged, \(error.reason); restore the file from a copy"
        }
        let schema = schema(of: row, table)
        if schema == nil, row.event.typeCode != 0 {
            reason = reason ?? unknownNumber(row)
        }
        // Made where it is handed on: an event that two ways lead on from would be copied for one of them.
        if let reason {
            throw RowDamage(
                position: row.event.position, reason: reason,
                readable: recorded(row, rest, schema, stream, table, text))
        }
        return recorded(row, rest, schema, stream, table, text)
    }

    /// Why the event cannot be read whole; `nil` when it can.
    public static func damage(of row: EventRow) -> String? {
        do throws(RowRest.Unreadable) {
            _ = try RowRest(reading: row.rest)
        } catch {
            return error.reason
        }
        let isKnown = row.event.typeCode == 0 || schema(of: row, Vocabulary.table) != nil
        return isKnown ? nil : unknownNumber(row)
    }

    private static func schema(of row: EventRow, _ table: SchemaTable) -> EventSchema? {
        table.schema(code: row.event.typeCode, version: Int(row.schemaVersion))
    }

    /// A type that is unknown when it comes is kept by its name, under the number 0.
    private static func unknownNumber(_ row: EventRow) -> String {
        "this build does not know version \(row.schemaVersion) of type \(row.event.typeCode);"
            + " use the build that recorded it, or a newer one"
    }

    private static func recorded(
        _ row: EventRow, _ rest: RowRest, _ schema: EventSchema?, _ stream: StreamName,
        _ table: SchemaTable, _ text: (NameID) -> String
    ) -> RecordedEvent {
        let event = row.event
        var data = rest.data
        let name: String
        if let schema {
            name = schema.name
            give(&data, schema, row, stream, text)
        } else if event.typeCode == 0 {
            name = text(event.nameA)
        } else {
            name = table.current(code: event.typeCode)?.name ?? "type.\(event.typeCode)"
        }
        let profile = event.profile == 0 ? nil : text(event.profile)
        let isSigned = rest.isSignedGiven || event.signedAt != event.occurredAt
        let isNamed = event.customer != 0 && !rest.namesNoCustomer
        return RecordedEvent(
            position: event.position, streamVersion: row.streamVersion,
            recordedAt: row.recordedAt, stream: stream,
            draft: EventDraft(
                type: EventTypeName(rawValue: name), version: Int(row.schemaVersion),
                environment: stream.environment,
                subject: isNamed ? text(event.customer) : nil,
                profile: schema?.hasProfileSlot ?? false ? rest.profile : profile,
                occurredAt: event.occurredAt,
                sequence: event.sequence == 0 && !rest.isSequenceGiven ? nil : event.sequence,
                source: EventSource(
                    kind: text(event.source), key: row.key,
                    signedAt: isSigned ? event.signedAt : nil),
                trust: event.trust, data: data, extras: rest.extras))
    }

    private static func give(
        _ data: inout JSONObject, _ schema: EventSchema, _ row: EventRow, _ stream: StreamName,
        _ text: (NameID) -> String
    ) {
        let event = row.event
        func name(_ id: NameID) -> JSONValue? { id == 0 ? nil : .string(text(id)) }
        let isEmpty = data.isEmpty
        data.reserveCapacity(data.members.count + min(schema.slotted.count, 4))
        for field in schema.slotted {
            guard let slot = field.slot, isEmpty || data.value(at: field.path) == nil
            else { continue }
            let value: JSONValue?
            switch slot {
            case .nameA: value = name(event.nameA)
            case .nameB: value = name(event.nameB)
            case .nameC: value = name(event.nameC)
            case .profile: value = name(event.profile)
            case .reference: value = row.reference.map(JSONValue.string)
            case .amount:
                value = event.amount.orNil.flatMap {
                    guard case .word(let words) = field.kind else { return .integer($0) }
                    return FlagBits.word($0, words)
                }
            case .money: value = event.money.orNil.map(JSONValue.integer)
            case .timeA: value = event.timeA.orNil.map(JSONValue.integer)
            case .timeB: value = event.timeB.orNil.map(JSONValue.integer)
            case .timeC: value = event.timeC.orNil.map(JSONValue.integer)
            case .stream: value = streamField(field.name, stream)
            case .flags(let shift, let width):
                let bits = event.bits(UInt16(shift), UInt16(width))
                value = FlagBits.decode(bits, field.kind)
            }
            guard let value else { continue }
            if isEmpty, field.path.count == 1 {
                data.append(ascending: field.name, value)
            } else {
                data.set(value, at: field.path)
            }
        }
    }

    private static func streamField(_ field: String, _ stream: StreamName) -> JSONValue? {
        guard stream.kind == .lineage,
            let colon = stream.name.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        if field == "store" {
            let store = String(stream.name[..<colon])
            return haveSameBytes(store, "apple") ? nil : .string(store)
        }
        return .string(String(stream.name[stream.name.utf8.index(after: colon)...]))
    }
}
