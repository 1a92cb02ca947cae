extension Event {
    /// The event without slots that no version of its type uses, as a scan gives it.
    public var withoutUnusedSlots: Event {
        let slots = EventSlots.byType[Int(typeCode)]
        var event = self
        if !slots.contains(.nameB) { event.nameB = 0 }
        if !slots.contains(.nameC) { event.nameC = 0 }
        if !slots.contains(.reference) { event.reference = .none }
        if !slots.contains(.amount) { event.amount = Event.absent }
        if !slots.contains(.money) { event.money = Event.absent }
        if !slots.contains(.timeA) { event.timeA = Event.absent }
        if !slots.contains(.timeB) { event.timeB = Event.absent }
        if !slots.contains(.timeC) { event.timeC = Event.absent }
        if !slots.contains(.flags) { event.flags = 0 }
        return event
    }
}
