import DaybookEvents
import DaybookStore

/// The rows and batches that the store contract tries.
enum StoreSamples {
    /// Texts that a careless store changes.
    static let texts: [String] = [
        "a", "k1", "fifteen bytes !", "sixteen bytes !!", String(repeating: "x", count: 256),
        String(repeating: "é", count: 128), "e\u{301}", "é", "🐕‍🦺 Ollie",
        "line\nbreak\ttab \"quote\"",
        "nul\u{0}inside", " leading and trailing ", "123", "1e5", "NULL", "x'00'",
        "0190a5d8-7c3e-7b1a-9f00-0123456789ab", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "0190A5D8-7C3E-7B1A-9F00-0123456789AB",
        "0190a5d8-7c3e-7b1a-9f00-0123456789ab#transaction", "0190a5d87c3e7b1a9f000123456789ab",
        "0190a5d8-7c3e-7b1a-9f00-0123456789aG",
    ]

    /// Rows that fill every field in turn: absent, zero, smallest and greatest.
    static func rows(_ builder: inout BatchBuilder) -> [EventRow] {
        let streams = [builder.stream("s1"), builder.stream("s2", .sandbox, .lineage)]
        for index in 1...20 { _ = builder.name("name \(index)") }
        var rows = [builder.row(in: streams[0], key: "plain")]
        for (index, text) in texts.enumerated() {
            rows.append(builder.row(in: streams[index % 2], key: text, reference: nil))
            var row = builder.row(in: streams[index % 2], key: "text \(index)", reference: text)
            row.rest = "{\"d\":{\"text\":\"\(index)\"}}"
            rows.append(row)
        }
        rows.append(builder.row(in: streams[0], key: "", reference: ""))
        for number in [0, 1, -1, Int64.max, Int64.min + 1] {
            rows.append(numbers(builder.row(in: streams[1], key: "number \(number)"), number))
        }
        rows.append(extreme(builder.row(in: streams[0], key: "greatest")))
        rows.append(bare(builder.row(in: streams[0], key: "least"), builder.names.count))
        rows.append(long(builder.row(in: streams[1], key: "long")))
        return rows
    }

    private static func numbers(_ row: EventRow, _ number: Int64) -> EventRow {
        var row = row
        row.event.occurredAt = number
        row.event.signedAt = number == 0 ? 1 : 0
        row.event.sequence = number
        row.event.amount = number
        row.event.money = number
        row.event.timeA = number
        row.event.timeB = number
        row.event.timeC = number
        row.requestDigest = number
        return row
    }

    /// Every number at its greatest, all different names.
    private static func extreme(_ row: EventRow) -> EventRow {
        var row = row
        row.event.customer = 1
        row.event.profile = 2
        row.event.nameA = 3
        row.event.nameB = 4
        row.event.nameC = 5
        row.event.source = 6
        row.event.flags = .max
        row.event.typeCode = .max
        row.event.trustCode = .max
        row.schemaVersion = .max
        row.requestDigest = .min
        row.event.signedAt = .max
        row.event.sequence = .min
        return row
    }

    /// Every number at its least; an unknown type, which the last name names.
    private static func bare(_ row: EventRow, _ nameCount: Int) -> EventRow {
        var row = row
        row.event.occurredAt = 0
        row.event.signedAt = 0
        row.event.typeCode = 0
        row.event.trustCode = 0
        row.event.nameA = NameID(nameCount)
        row.schemaVersion = 0
        return row
    }

    /// The longest event that the bounds allow: 64 KiB.
    private static func long(_ row: EventRow) -> EventRow {
        var row = row
        row.rest = "{\"d\":{\"text\":\"" + String(repeating: "🐾", count: 16_000) + "\"}}"
        return row
    }

    /// Batches that a store with one event must refuse, with the reason.
    static func misfits(first: AppendBatch, next: AppendBatch) -> [(String, AppendBatch)] {
        func changed(_ change: (inout AppendBatch) -> Void) -> AppendBatch {
            var batch = next
            change(&batch)
            return batch
        }
        let nameCount = NameID(next.nameCount + next.names.count)
        func stream(_ id: Int, name: NameID = 1) -> StreamRecord {
            StreamRecord(id: UInt32(id), environment: .sandbox, kind: .lineage, name: name)
        }
        let streamCount = first.streams.count
        let nameSlots: [WritableKeyPath<Event, NameID>] = [
            \.source, \.customer, \.profile, \.nameA, \.nameB, \.nameC,
        ]
        return [
            ("appending the same batch again", first),
            ("a head that is behind", changed { $0.expectedHead = 0 }),
            ("a head that is ahead", changed { $0.expectedHead = 2 }),
            ("too few names", changed { $0.nameCount -= 1 }),
            ("too many names", changed { $0.nameCount += 1 }),
            ("a first position too high", changed { $0.rows.removeFirst() }),
            ("a second position repeated", changed { $0.rows[1].event.position -= 1 }),
            ("a second position too high", changed { $0.rows[1].event.position += 1 }),
            (
                "the stored event after a new one",
                changed { batch in
                    batch.rows = [batch.rows[0]] + first.rows
                }
            ),
            ("a stream that is there", changed { $0.streams = [stream(streamCount)] }),
            ("a stream's number left out", changed { $0.streams = [stream(streamCount + 2)] }),
            (
                "a second stream's number left out",
                changed { $0.streams = [stream(streamCount + 1), stream(streamCount + 3)] }
            ),
            (
                "a stream with a name that does not exist",
                changed { $0.streams = [stream(streamCount + 1, name: nameCount + 1)] }
            ),
            ("an event in no stream", changed { $0.rows[1].event.stream = 0 }),
            (
                "an event in a stream that does not exist",
                changed { $0.rows[1].event.stream = UInt32(streamCount + 1) }
            ),
            (
                "a time before the last one",
                changed { batch in
                    for index in batch.rows.indices {
                        batch.rows[index].recordedAt = first.rows[0].recordedAt - 1
                    }
                }
            ),
            ("a second time before the first", changed { $0.rows[1].recordedAt -= 1 }),
        ]
            + nameSlots.map { slot in
                (
                    "a name that does not exist",
                    changed { $0.rows[1].event[keyPath: slot] = nameCount + 1 }
                )
            }
    }
}
