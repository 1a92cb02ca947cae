import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// Units, entries and touches of funnels (docs/rules.md#funnels), over steps that are written down or drawn by lot.
@Suite("Funnels by profile and session, best entry, touch")
struct FunnelUnitTests {
    private let names: NameTable
    private let ids: [String: NameID]
    private static let words = ["a", "b", "c", "x", "red", "blue", "tests", "p", "q"]

    init() {
        var table = NameTable()
        var ids: [String: NameID] = [:]
        for word in Self.words { ids[word] = table.intern(word) }
        names = table
        self.ids = ids
    }

    /// A milestone; `profile` is of the event, `experiment.exposed` where a variant is given.
    private func step(
        _ name: String, at: Int64, profile: String? = nil, variant: String? = nil
    ) -> FunnelState.Step {
        let type: EventType = variant == nil ? .milestoneReached : .experimentExposed
        return FunnelState.Step(
            at: at, typeCode: type.rawValue, context: ids[name] ?? 0,
            variant: variant.flatMap { ids[$0] } ?? 0, profile: profile.flatMap { ids[$0] } ?? 0,
            duration: Event.absent, isTrial: false)
    }

    private func funnel(_ steps: [String], window: Int64, excluding: [String] = []) -> Funnel {
        func made(_ names: [String]) -> [FunnelStep] {
            names.map { FunnelStep(name: $0, event: .milestoneReached, context: $0) }
        }
        var funnel = Funnel(name: "f", windowMilliseconds: window, steps: made(steps))
        funnel.exclusions = made(excluding)
        return funnel
    }

    private func report(
        _ funnel: Funnel, _ steps: [FunnelState.Step], range: Range<Int64> = 0..<1_000_000,
        _ change: (inout FunnelRules) -> Void = { _ in }
    ) -> FunnelReport {
        var rules = FunnelRules()
        change(&rules)
        var answer = FunnelsAnswer(funnel, range: range, rules: rules)
        answer.add(steps, names: names)
        return answer.report()
    }

    @Test("A session ends after a gap, not at it; each is a unit by itself")
    func sessions() {
        let funnel = funnel(["a", "b"], window: 1_000)
        let steps = [
            step("a", at: 0), step("b", at: 100), step("a", at: 201), step("b", at: 302),
            step("b", at: 310),
        ]
        let whole = report(funnel, steps)
        #expect(whole.entered == 1)
        let sessions = report(funnel, steps) {
            $0.unit = .session
            $0.sessionGapMilliseconds = 100
        }
        // 0 and 100 are one session; 201 stands alone, and 302 begins a third without a first step.
        #expect(sessions.entered == 2)
        #expect(sessions.steps.map(\.count) == [2, 1])
    }

    @Test("A profile is a unit by the events that name it")
    func profiles() {
        let steps = [
            step("a", at: 0, profile: "p"), step("a", at: 1, profile: "q"), step("b", at: 2),
            step("b", at: 3, profile: "q"),
        ]
        let profiles = report(funnel(["a", "b"], window: 10), steps) { $0.unit = .profile }
        #expect(profiles.entered == 2)
        #expect(profiles.steps.map(\.count) == [2, 1])
        #expect(profiles.steps[1].medianMilliseconds == 2)
    }

    @Test(
        "The best entry is one whose window has not run out; an exclusion ends only what has it ahead"
    )
    func bestEntry() {
        let short = funnel(["a", "b", "c"], window: 10, excluding: ["x"])
        let steps = [
            step("a", at: 0), step("b", at: 9), step("a", at: 20), step("b", at: 25),
            step("c", at: 30),
        ]
        #expect(report(short, steps).steps.map(\.count) == [1, 1, 0])
        #expect(report(short, steps) { $0.entry = .best }.steps.map(\.count) == [1, 1, 1])
        // Excluded from the second entry on; the first had ended before.
        let excluded = [
            step("a", at: 0), step("b", at: 5), step("a", at: 20), step("b", at: 22),
            step("x", at: 24), step("c", at: 25),
        ]
        let best = report(short, excluded) { $0.entry = .best }
        #expect(best.steps.map(\.count) == [1, 1, 0])
        // What came to its end before the exclusion came to its end.
        let done = [step("a", at: 0), step("b", at: 1), step("c", at: 2), step("x", at: 3)]
        #expect(report(short, done) { $0.entry = .best }.steps.map(\.count) == [1, 1, 1])
        let out = [step("a", at: 0), step("b", at: 1), step("x", at: 2), step("c", at: 3)]
        #expect(report(short, out) { $0.entry = .best }.entered == 0)
    }

    @Test("An exclusion of free trials leaves those in who pay at once")
    func excludedTrials() {
        var funnel = funnel(["a", "b"], window: 100)
        var trial = FunnelStep(name: "trial", event: .subscriptionStarted)
        func entered(_ isTrial: Bool) -> Int {
            let started = FunnelState.Step(
                at: 1, typeCode: EventType.subscriptionStarted.rawValue, context: 0, variant: 0,
                profile: 0, duration: Event.absent, isTrial: isTrial)
            return report(funnel, [step("a", at: 0), started, step("b", at: 2)]).entered
        }
        funnel.exclusions = [trial]
        #expect(entered(true) == 0 && entered(false) == 0)
        trial.isTrial = true
        funnel.exclusions = [trial]
        #expect(entered(true) == 0 && entered(false) == 1)
        trial.isTrial = false
        funnel.exclusions = [trial]
        #expect(entered(true) == 1 && entered(false) == 0)
    }

    @Test("Variants by first, last and each touch")
    func touches() {
        var funnel = funnel(["a", "b"], window: 100)
        funnel.experiment = "tests"
        let steps = [
            step("tests", at: 0, variant: "red"), step("a", at: 1),
            step("tests", at: 2, variant: "blue"), step("b", at: 3),
        ]
        func groups(_ touch: FunnelRules.Touch) -> [String: [Int]] {
            let report = report(funnel, steps) {
                $0.breakdown = .variant
                $0.touch = touch
            }
            #expect(report.steps.map(\.count) == [1, 1])
            return Dictionary(
                uniqueKeysWithValues: report.groups.map { ($0.name, $0.steps.map(\.count)) })
        }
        #expect(groups(.first) == ["red": [1, 1]])
        #expect(groups(.last) == ["blue": [1, 1]])
        #expect(groups(.each) == ["red": [1, 0], "blue": [0, 1]])
    }

    // MARK: By lot

    /// How far a unit gets from one entry, by the words of docs/rules.md; `nil`: it is out.
    private func taken(
        _ order: Funnel.Order, _ events: [(name: String, at: Int64)], from entry: Int,
        _ wanted: [String], _ window: Int64, _ out: Set<String>
    ) -> Int? {
        var count = 1
        for event in events[(entry + 1)...] {
            if count == wanted.count || event.at > events[entry].at + window { break }
            if out.contains(event.name) { return nil }
            if event.name == wanted[count] {
                count += 1
            } else if order == .strict {
                break
            }
        }
        return count
    }

    @Test(
        "By lot: the best entry gets as far as the furthest of all entries",
        arguments: [UInt64](1...40))
    func lots(seed: UInt64) {
        var random = SplitMix64(seed: 26_000 + seed)
        let wanted = seed % 2 == 0 ? ["a", "b", "c"] : ["a", "b", "a", "c"]
        for order in [Funnel.Order.ordered, .strict] {
            for _ in 0..<200 {
                let window = Int64.random(in: 0...12, using: &random)
                var at: Int64 = 0
                let events = (0..<Int.random(in: 1...14, using: &random)).map { _ in
                    at += Int64.random(in: 0...4, using: &random)
                    let name = ["a", "a", "b", "b", "c", "x"].randomElement(using: &random) ?? "a"
                    return (name: name, at: at)
                }
                var asked = funnel(wanted, window: window, excluding: ["x"])
                asked.order = order
                let range = Int64.random(in: 0...8, using: &random)..<30
                let entries = events.indices.filter {
                    events[$0].name == "a" && range.contains(events[$0].at)
                }
                let reached = entries.compactMap {
                    taken(order, events, from: $0, wanted, window, ["x"])
                }
                let first = entries.first.flatMap {
                    taken(order, events, from: $0, wanted, window, ["x"])
                }
                let steps = events.map { step($0.name, at: $0.at) }
                func counted(_ entry: FunnelRules.Entry) -> Int {
                    report(asked, steps, range: range) { $0.entry = entry }.steps
                        .map(\.count).reduce(0, +)
                }
                #expect(
                    counted(.best) == reached.max() ?? 0, "\(order) \(events) \(window) \(range)")
                #expect(counted(.first) == first ?? 0, "\(order) \(events) \(window) \(range)")
            }
        }
    }

    @Test("Customers counted apart and added are those counted together")
    func parts() {
        var rules = FunnelRules()
        rules.breakdown = .context
        let asked = funnel(["a", "b"], window: 100)
        func answer(_ steps: [[FunnelState.Step]]) -> FunnelsAnswer {
            var answer = FunnelsAnswer(asked, range: 0..<1_000, rules: rules)
            for unit in steps { answer.add(unit, names: names) }
            return answer
        }
        let units = (0..<5).map { index in
            [step("a", at: 0), step("b", at: Int64(10 + index))]
        }
        var sum = answer(Array(units[..<2]))
        sum.add(answer(Array(units[2...])))
        #expect(sum.report() == answer(units).report())
        #expect(sum.report().steps[1].medianMilliseconds == 12)
    }
}
