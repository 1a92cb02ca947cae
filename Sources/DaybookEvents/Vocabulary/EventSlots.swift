/// The slots of a hot event that only some types use.
public struct EventSlots: OptionSet, Sendable {
    /// One bit for each slot.
    public let rawValue: UInt16
    /// Creates a set from its bits; those of no slot are kept.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The second name (`Event.nameB`).
    public static let nameB = EventSlots(rawValue: 1 << 0)
    /// The third name (`Event.nameC`).
    public static let nameC = EventSlots(rawValue: 1 << 1)
    /// The reference (`Event.reference`).
    public static let reference = EventSlots(rawValue: 1 << 2)
    /// The amount (`Event.amount`).
    public static let amount = EventSlots(rawValue: 1 << 3)
    /// The money (`Event.money`).
    public static let money = EventSlots(rawValue: 1 << 4)
    /// The first time (`Event.timeA`).
    public static let timeA = EventSlots(rawValue: 1 << 5)
    /// The second time (`Event.timeB`).
    public static let timeB = EventSlots(rawValue: 1 << 6)
    /// The third time (`Event.timeC`).
    public static let timeC = EventSlots(rawValue: 1 << 7)
    /// The flags (`Event.flags`).
    public static let flags = EventSlots(rawValue: 1 << 8)
    /// All slots of this set; name a, profile and stream are not in it, as every event may have them.
    public static let all = EventSlots(rawValue: (1 << 9) - 1)

    /// What any version of each type uses, by its number; everything for a number that this build does not know.
    ///
    /// A fold can ask for nothing else, so a scan need not read the other columns: the encoder left them empty.
    public static let byType: [EventSlots] = {
        var slots = [EventSlots](repeating: .all, count: 256)
        for schema in Vocabulary.schemas { slots[Int(schema.type.rawValue)] = [] }
        for schema in Vocabulary.schemas {
            for field in schema.fields {
                slots[Int(schema.type.rawValue)].formUnion(field.slot.map(EventSlots.init) ?? [])
            }
        }
        slots[0] = .all
        return slots
    }()

    private init(_ slot: EventSlot) {
        switch slot {
        case .nameB: self = .nameB
        case .nameC: self = .nameC
        case .reference: self = .reference
        case .amount: self = .amount
        case .money: self = .money
        case .timeA: self = .timeA
        case .timeB: self = .timeB
        case .timeC: self = .timeC
        case .flags: self = .flags
        // What every event may have.
        case .nameA, .profile, .stream: self = []
        }
    }
}
