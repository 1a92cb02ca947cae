import DaybookDomain
import DaybookEvents

/// Visitors of a paywall, the same ones every time: a funnel needs more customers than one family.
struct DemoCrowd {
    /// Customers of the crowd.
    static let count = 400
    private static let seed: UInt64 = 2_026

    /// SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    let funnel: Funnel
    /// The last moment of the crowd; everything happened in the two days before.
    let end: Int64

    /// The crowd as a file of events.
    func lines() -> [UInt8] {
        drafts().flatMap { EventJSON.object(of: $0).canonicalBytes + [0x0A] }
    }

    /// Two in five go on from each step to the next, after a few minutes.
    private func drafts() -> [EventDraft] {
        var generator = Generator(state: Self.seed)
        var drafts: [EventDraft] = []
        for number in 1...Self.count {
            let subject = "visitor-\(number)"
            var instant = end - Int64.random(in: 3_600_000...172_800_000, using: &generator)
            for (index, step) in funnel.steps.enumerated() {
                if index > 0, Int.random(in: 0..<5, using: &generator) > 1 { break }
                drafts.append(draft(step, index, subject, instant))
                instant += Int64.random(in: 4_000...600_000, using: &generator)
            }
        }
        return drafts
    }

    private func draft(
        _ step: FunnelStep, _ index: Int, _ subject: String, _ instant: Int64
    ) -> EventDraft {
        var data = JSONObject()
        if step.event.isOf(.paywall) {
            data["context"] = .string(step.context ?? "usageLimitReached")
        }
        return EventDraft(
            type: step.event, subject: subject, occurredAt: instant,
            source: EventSource(kind: "demo", key: "\(subject)/\(index)"), trust: .imported,
            data: data)
    }
}
