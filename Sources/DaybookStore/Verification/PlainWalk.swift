import DaybookEvents

/// One walk over all rows, from which everything else is rebuilt.
struct PlainWalk {
    static let sql = """
        SELECT position, recorded_at, stream, version, previous, type, v, occurred_at, signed_at, \
        sequence, source, key, trust, party, profile, name_a, name_b, name_c, ref, amount, money, \
        time_a, time_b, time_c, flags, request, rest FROM events \
        WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
        """

    let names: PlainNames
    private(set) var streams: [PlainStream]
    private(set) var persons = PlainPersons()
    private(set) var history = PlainHistory()
    /// The leaves of the blocks.
    private(set) var leaves: [PlainHash] = []
    /// Under the ledger's secret, from position 1 on.
    private(set) var keyHashes: [UInt64] = []
    /// The same of the ids that rows name, by position.
    private(set) var idHashes: [PlainKeys.Entry] = []
    private(set) var position: Int64 = 0
    /// 1, and more by every event that says so.
    private(set) var epoch: Int64 = 1
    private(set) var rows = PlainProblems()
    private(set) var clock = PlainProblems()
    private let secret: PlainSecret
    private var recordedAt = Int64.min
    private var key = PlainText()
    private var reference = PlainText()
    private var bytes: [UInt8] = []

    init(names: PlainNames, streams: [PlainStream], secret: PlainSecret) {
        self.names = names
        self.streams = streams
        self.secret = secret
    }

    /// What a row says, for the comparison with a segment.
    struct Step {
        var event: PlainEvent
        /// The position of the event before it in its stream, as the rows have it.
        var before: Int64
    }

    /// - Returns: `nil` where the row cannot be placed.
    mutating func visit(_ row: PlainRow) -> Step? {
        let position = row.number(0)
        if position != self.position &+ 1 {
            rows.add("position \(position) follows position \(self.position): there is a gap")
        }
        let recordedAt = row.number(1)
        if recordedAt < self.recordedAt {
            clock.add(
                "position \(position) was recorded at \(recordedAt), the one before at \(self.recordedAt)"
            )
        }
        self.position = position
        self.recordedAt = recordedAt
        var event = read(row)
        if event.type == Int64(EventType.ledgerRestored.rawValue) {
            epoch = max(epoch &+ 1, event.amount)
        }
        let number = event.stream
        guard number >= 1, number < Int64(streams.count) else {
            rows.add("position \(position) is in stream \(number), which does not exist")
            return nil
        }
        let stream = streams[Int(number)]
        if row.number(4) != stream.position {
            rows.add(
                "position \(position) of stream \(number) follows position \(row.number(4)), expected \(stream.position)"
            )
        }
        if row.number(3) != stream.version &+ 1 {
            rows.add(
                "position \(position) of stream \(number) has version \(row.number(3)), expected \(stream.version &+ 1)"
            )
        }
        streams[Int(number)].position = position
        streams[Int(number)].version = stream.version &+ 1
        let leaf = history.append(
            recordedAt: recordedAt, digest: digest(row, event, stream))
        if let leaf { leaves.append(leaf) }
        keyHashes.append(
            PlainSip.short(
                secret.lookup, event.key.high, event.key.low,
                UInt64(truncatingIfNeeded: event.source) << 8
                    | UInt64(truncatingIfNeeded: stream.environment)))
        event.dropUnusedSlots()
        noteIDs(event, stream)
        persons.lineage = number
        persons.note(event, at: position, in: stream, names)
        return Step(event: event, before: stream.position)
    }

    /// The reference of what stands with a customer or a lineage, and the profile that begins.
    private mutating func noteIDs(_ event: PlainEvent, _ stream: PlainStream) {
        guard stream.isCustomer || stream.isLineage else { return }
        let environment = UInt64(truncatingIfNeeded: stream.environment)
        if event.reference != PlainBits() {
            let hash = PlainSip.short(
                secret.lookup, event.reference.high, event.reference.low, environment)
            idHashes.append(PlainKeys.Entry(position: position, hash: hash))
        }
        switch EventType(rawValue: UInt16(truncatingIfNeeded: event.type)) {
        case .profileCreated where event.profile != 0, .profileRestored where event.profile != 0:
            let hash = PlainSip.short(
                secret.lookup, UInt64(truncatingIfNeeded: event.profile), 0, 1 << 8 | environment)
            idHashes.append(PlainKeys.Entry(position: position, hash: hash))
        default: break
        }
    }

    private mutating func read(_ row: PlainRow) -> PlainEvent {
        var event = PlainEvent()
        event.stream = row.number(2)
        event.type = row.number(5)
        event.occurredAt = row.number(7)
        event.signedAt = row.number(8, else: event.occurredAt)
        event.sequence = row.number(9)
        event.source = row.number(10)
        row.read(11, into: &key)
        event.key = key.bits
        event.trust = row.number(12)
        event.customer = row.number(13)
        event.profile = row.number(14)
        event.nameA = row.number(15)
        event.nameB = row.number(16)
        event.nameC = row.number(17)
        row.read(18, into: &reference)
        if reference.isThere { event.reference = reference.bits }
        event.amount = row.number(19, else: PlainEvent.absent)
        event.money = row.number(20, else: PlainEvent.absent)
        event.timeA = row.number(21, else: PlainEvent.absent)
        event.timeB = row.number(22, else: PlainEvent.absent)
        event.timeC = row.number(23, else: PlainEvent.absent)
        event.flags = row.number(24)
        check(event.source, row)
        check(event.customer, row)
        check(event.profile, row)
        check(event.nameA, row)
        check(event.nameB, row)
        check(event.nameC, row)
        return event
    }

    private mutating func check(_ name: Int64, _ row: PlainRow) {
        if name >= 0, name <= names.count { return }
        rows.add("position \(row.number(0)) uses name \(name), which does not exist")
    }

    // MARK: The digest of a row, by the format in `RowDigest.swift`

    private mutating func digest(
        _ row: PlainRow, _ event: PlainEvent, _ stream: PlainStream
    ) -> PlainHash {
        let texts = texts(row, event, stream)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(0x10)
        bytes.append(UInt8(truncatingIfNeeded: stream.environment))
        bytes.append(UInt8(truncatingIfNeeded: stream.kind))
        append(UInt16(truncatingIfNeeded: event.type))
        append(UInt16(truncatingIfNeeded: row.number(6)))
        bytes.append(UInt8(truncatingIfNeeded: event.trust))
        append(UInt16(truncatingIfNeeded: event.flags))
        append(event.occurredAt)
        append(event.signedAt)
        append(event.sequence)
        append(event.amount)
        append(event.money)
        append(event.timeA)
        append(event.timeB)
        append(event.timeC)
        append(row.number(25))
        texts.append(to: &bytes)
        return PlainHash(of: bytes)
    }

    private mutating func texts(
        _ row: PlainRow, _ event: PlainEvent, _ stream: PlainStream
    ) -> PlainHash {
        let name = names.text(stream.name)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(UInt8(truncatingIfNeeded: stream.environment))
        bytes.append(UInt8(truncatingIfNeeded: stream.kind))
        bytes.append(contentsOf: name)
        let blinding = bytes.withUnsafeBytes { PlainSip.wide(secret.blinding, $0) }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(0x11)
        append(blinding.0)
        append(blinding.1)
        append(name)
        append(names.text(event.source))
        append(key.bytes[...])
        append(names.text(event.customer))
        append(names.text(event.profile))
        append(names.text(event.nameA))
        append(names.text(event.nameB))
        append(names.text(event.nameC))
        if reference.isThere { append(reference.bytes[...]) } else { append(UInt32.max) }
        if row.isNull(26) {
            append(UInt32.max)
        } else {
            let rest = row.bytes(26)
            append(UInt32(truncatingIfNeeded: rest.count))
            bytes.append(contentsOf: rest)
        }
        return PlainHash(of: bytes)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: ArraySlice<UInt8>) {
        append(UInt32(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
    }
}
