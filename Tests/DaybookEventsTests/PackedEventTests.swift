import DaybookEvents
import Testing

/// Packing changes where a slot lies and never what it says.
@Suite("Packed events")
struct PackedEventTests {
    /// What unpacking gives; `nil` where the bits are refused.
    private static func unpacked(_ packed: PackedEvents, _ index: Int, at position: Int64) -> Event?
    {
        let one = packed.events[index]
        if one.isWhole { return one.event(at: position) }
        return one.extensionIndex.map { one.event(at: position, packed.extensions[$0]) }
    }

    /// An event with something in every slot, none of it a usual value.
    private static var everywhere: Event {
        var event = Event()
        event.position = 0x01
        event.occurredAt = 0x02
        event.signedAt = 0x03
        event.reference = Reference(high: 0x04, low: 0x05)
        event.key = Reference(high: 0x06, low: 0x07)
        event.money = 0x08
        event.timeA = 0x09
        event.timeB = 0x0A
        event.timeC = 0x0B
        event.sequence = 0x0C
        event.amount = 0x0D
        (event.stream, event.customer, event.profile) = (0x0E, 0x0F, 0x10)
        (event.nameA, event.nameB, event.nameC, event.source) = (0x11, 0x12, 0x13, 0x14)
        event.flags = 0x15
        event.typeCode = 0x16
        event.trustCode = 0x17
        return event
    }

    /// Values around every limit of every variable field, and usual ones.
    private struct Generator {
        var random = SystemRandomNumberGenerator()

        mutating func word() -> UInt64 { random.next() }

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int(word() % UInt64(values.count))]
        }

        mutating func name() -> UInt32 {
            pick([0, 0, 0, 0, 1, 7, 65_535, 65_536, .max, UInt32(truncatingIfNeeded: word())])
        }

        mutating func number(_ near: Int64) -> Int64 {
            let absent = Event.absent
            return pick([
                absent, absent, absent, absent, 0, 1, -1, .max, .min + 1, near, near &+ 1,
                near &- 1, near &+ 600_000, near &+ 0xFFFF_FFFF, near &+ 0x1_0000_0000,
                Int64(Int32.max), Int64(Int32.max) + 1, Int64(Int32.min), Int64(Int32.min) + 1,
                Int64(bitPattern: word()),
            ])
        }

        /// Some slots are changed, so that every form is met, and every way to need more.
        mutating func event() -> Event {
            var event = Event()
            event.position = pick([0, 1, 65_537, .max])
            event.occurredAt = pick([0, 1_767_225_600_000, -1, .max, .min, .max - 5])
            event.signedAt = event.occurredAt
            event.key = Reference(high: word(), low: word())
            event.reference = pick([
                .none, .none, Reference(high: 0, low: 1), Reference(high: 1, low: 0),
                Reference(high: word(), low: word()),
            ])
            (event.stream, event.customer, event.nameA) = (name(), name(), name())
            event.typeCode = pick([0, 1, 20, 70, 150, 255])
            for _ in 0..<Int(word() % 6) { change(&event) }
            return event
        }

        private mutating func change(_ event: inout Event) {
            switch word() % 12 {
            case 0: event.signedAt = number(event.occurredAt)
            case 1:
                event.amount = pick([
                    0, 1, 3, -1, 32_767, 32_768, -32_767, -32_768, -32_769, Int64(Int32.max),
                    Int64(Int32.min) + 1,
                ])
            case 2: event.money = number(0)
            case 3: event.timeA = number(event.occurredAt)
            case 4: event.timeB = number(event.occurredAt)
            case 5: event.timeC = number(event.occurredAt)
            case 6: event.sequence = pick([1, 65_535, 65_536, Int64(UInt32.max)])
            case 7: event.profile = name()
            case 8: event.nameB = name()
            case 9: event.nameC = name()
            case 10: event.source = pick([1, 65_535, 65_536, .max])
            default:
                event.flags = pick([0, 1, 2_050, .max])
                event.trustCode = pick([1, 2, 5, 6, 15, 16, 128, 255])
            }
        }
    }

    @Test("Whatever an event holds comes back from 64 bytes, or from 64 more")
    func roundTrip() {
        var generator = Generator()
        var packed = PackedEvents()
        var events: [Event] = []
        for _ in 0..<100_000 {
            events.append(generator.event())
            packed.append(events[events.count - 1])
        }
        #expect(packed.events.count == events.count)
        let differing = events.indices.filter {
            Self.unpacked(packed, $0, at: events[$0].position) != events[$0]
        }
        #expect(differing.prefix(3).map { events[$0] } == [])
        // Both ways must be met, or the test shows nothing.
        #expect((10_000...90_000).contains(packed.extensions.count))
    }

    @Test("What each form is for fits it, and one slot more needs an extension")
    func forms() {
        var use = Event()
        use.occurredAt = 1_000
        use.signedAt = 1_000
        use.amount = 1
        use.key = Reference("k")
        var withReference = use
        withReference.reference = Reference("story-1")
        typealias Change = @Sendable (inout Event) -> Void
        let rows: [(UInt8, Event, [Change], extended: Change)] = [
            (0, withReference, [{ $0.flags = .max }, { $0.amount = 1_000_000 }], { $0.money = 1 }),
            (1, withReference, [{ $0.nameB = .max }], { $0.flags = 1 }),
            (2, withReference, [{ $0.nameC = .max }], { $0.nameB = 1 }),
            (3, withReference, [{ $0.profile = .max }], { $0.amount = 32_768 }),
            (4, withReference, [{ $0.timeA = 1_000 + 0xFFFF_FFFF }], { $0.timeA += 1 }),
            (
                5, use,
                [{ $0.profile = 1 }, { $0.nameB = 2 }, { $0.nameC = 3 }, { $0.money = 4 }],
                { $0.money = 1 << 31 }
            ),
            (
                6, use, [{ $0.timeA = .max }, { $0.nameB = 1 }, { $0.profile = 2 }],
                { $0.nameC = 1 }
            ),
        ]
        for (layout, start, changes, extended) in rows {
            var event = start
            for change in changes { change(&event) }
            var packed = PackedEvents()
            packed.append(event)
            let byte = withUnsafeBytes(of: packed.events[0]) { $0[63] }
            #expect(byte >> 4 == layout && packed.extensions.isEmpty)
            extended(&event)
            packed.append(event)
            #expect(packed.events[1].extensionIndex == 0, "form \(layout)")
            #expect(Self.unpacked(packed, 1, at: 0) == event)
        }
    }

    @Test("Extensions are numbered on over chunks")
    func chunks() {
        var packed = PackedEvents()
        for chunk in 0..<3 {
            for index in 0..<4 {
                packed.append(Self.everywhere)
                #expect(packed.events[index].extensionIndex == 4 * chunk + index)
            }
            packed.removeAll()
        }
    }

    @Test("Any bits are an event or refused")
    func strangeBits() {
        var generator = Generator()
        var counts = (whole: 0, extended: 0, refused: 0)
        var lossy: [Event] = []
        for _ in 0..<20_000 {
            let words = (0..<8).map { _ in generator.word() }
            let packed = words.withUnsafeBytes { $0.load(as: PackedEvent.self) }
            let event: Event
            if packed.isWhole {
                counts.whole += 1
                event = packed.event(at: 1)
            } else if packed.extensionIndex != nil {
                counts.extended += 1
                event = packed.event(at: 1, EventExtension(Self.everywhere))
            } else {
                counts.refused += 1
                continue
            }
            var again = PackedEvents()
            again.append(event)
            if Self.unpacked(again, 0, at: 1) != event { lossy.append(event) }
        }
        #expect(lossy == [])
        // Seven, one and eight of sixteen forms.
        #expect(counts.whole > 7_000 && counts.extended > 700 && counts.refused > 8_000)
    }

    @Test("Packed events lie in memory as snapshots/README.md says")
    func layout() {
        let event = Self.everywhere
        let packed = withUnsafeBytes(of: PackedEvent(event, extensionIndex: 0x18)) { Array($0) }
        let rest = withUnsafeBytes(of: EventExtension(event)) { Array($0) }
        #expect(packed.count == 64 && rest.count == 64)
        let inside: [(Int, UInt8)] = [
            (0, 0x02), (8, 0x06), (16, 0x07), (24, 0x04), (32, 0x05), (40, 0x0E), (44, 0x0F),
            (48, 0x11), (52, 0x18), (56, 0x17), (60, 0x15), (62, 0x16), (63, 0xF0),
        ]
        let beside: [(Int, UInt8)] = [
            (0, 0x03), (8, 0x08), (16, 0x09), (24, 0x0A), (32, 0x0B), (40, 0x0D), (44, 0x10),
            (48, 0x12), (52, 0x13), (56, 0x0C), (60, 0x14),
        ]
        for (offset, value) in inside { #expect(packed[offset] == value, "offset \(offset)") }
        for (offset, value) in beside { #expect(rest[offset] == value, "offset \(offset)") }
        let usedCounts = [packed.count { $0 != 0 }, rest.count { $0 != 0 }]
        #expect(usedCounts == [inside.count, beside.count])
        var plain = event
        plain.signedAt = plain.occurredAt
        (plain.money, plain.timeA) = (Event.absent, Event.absent)
        (plain.timeB, plain.timeC) = (Event.absent, Event.absent)
        (plain.profile, plain.nameB, plain.nameC, plain.trustCode) = (0, 0, 0, 5)
        let whole = PackedEvent(plain).map { withUnsafeBytes(of: $0) { Array($0) } }
        for (offset, value) in [(52, 0x0D), (56, 0x14), (58, 0x0C), (60, 0x15), (63, 0x05)] {
            #expect(whole?[offset] == UInt8(value), "offset \(offset)")
        }
    }
}
