import DaybookDomain
import DaybookEvents
import Testing

@Suite("Resets in the state of usage")
struct UsageResetTests {
    /// - Parameter trigger: 1 scheduled, 2 manual, 3 plan change, 7 a word that this build does not know.
    private func resets(_ trigger: UInt16) -> [UsageState.Reset] {
        var event = Event()
        event.typeCode = EventType.usageReset.rawValue
        event.nameA = 1
        event.timeB = 5
        event.flags = trigger
        var usage = UsageState()
        usage.evolve(event, as: event.type)
        return usage.resets
    }

    @Test("Decided resets are kept, and that a scheduled one was written")
    func known() {
        #expect(resets(1).map(\.isScheduled) == [true])
        #expect(resets(2).map(\.isScheduled) == [false])
        #expect(resets(3).map(\.isScheduled) == [false])
        #expect(resets(2).map(\.effectiveAt) == [5])
    }

    @Test("A reset of an unknown trigger is skipped: it is no evidence that a period's was written")
    func unknown() {
        #expect(resets(7).isEmpty)
    }
}
