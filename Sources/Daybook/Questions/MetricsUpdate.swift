import DaybookDomain
import DaybookEvents

/// Brings a kept answer up to the time and the state of knowledge of a question: takes out what those contributed who
/// changed, and adds what they contribute now.
///
/// Who changed is told by the events that came (`ConcernedSubjects`), and by the times at which something was due
/// (`ComingChanges`). Both sides are computed from events, as they were known then and are now, so that nothing about
/// single customers has to be kept.
struct MetricsUpdate {
    let core: LedgerCore
    let setting: MetricsQuestion.Setting
    let workers: Int

    /// More events than that are no tail: everything is computed anew.
    private static let eventCountMax: Int64 = 20_000
    /// How large a part of all subjects may have changed, one in so many.
    private static let changedPart = 8
    private static let turnCount = 32

    /// - Returns: `nil`: everything has to be computed anew.
    func answer() throws -> KeptMetrics.Answer? {
        let look = setting.look
        guard setting.isKept, let kept = core.keptMetrics.find(where: { $0.answers(setting) }),
            kept.at <= look.at,
            kept.cut <= look.cut, look.cut - kept.cut <= Self.eventCountMax,
            !setting.hasBound(after: kept.at)
        else { return nil }
        if kept.cut == look.cut, kept.at == look.at {
            core.keptMetrics.noteUse()
            return kept
        }
        var next = kept
        next.at = look.at
        next.cut = look.cut
        var changed = Set(next.changes.takeChanges(through: look.at))
        if kept.cut < look.cut {
            guard let concerned = try concerned(since: kept.cut) else { return nil }
            changed.formUnion(concerned)
        }
        guard changed.count <= max(64, kept.subjectCount / Self.changedPart),
            try update(&next, Array(changed), from: kept)
        else { return nil }
        core.keptMetrics.noteUse()
        core.keptMetrics.keep(next)
        return next
    }

    /// - Returns: `nil`: everyone may be concerned.
    private func concerned(since cut: Int64) throws -> [MetricsPass.Element]? {
        let look = setting.look
        let concerned = try ConcernedSubjects(
            core, look.known, setting.request.environment, after: cut, through: look.cut)
        if concerned.hasCatalog { return nil }
        return concerned.customers.map { .customer($0) } + concerned.lineages.map { .lineage($0) }
    }

    private struct Share: Sendable {
        var taken: MetricsAnswer
        var given: MetricsAnswer
        var takenCount = 0
        var givenCount = 0
        var changes: [ComingChanges.Change] = []
    }

    /// - Returns: `false` where what was to be taken out is not all in the kept answer.
    private func update(
        _ next: inout KeptMetrics.Answer, _ changed: [MetricsPass.Element],
        from kept: KeptMetrics.Answer
    ) throws -> Bool {
        let former = Self.persons(changed, setting.pass(core, cut: kept.cut, at: kept.at))
        let current = Self.persons(changed, setting.pass(core, cut: next.cut, at: next.at))
        let (core, setting) = (core, setting)
        let (cut, at) = (next.cut, next.at)
        func turnCount(_ elements: [MetricsPass.Element]) -> Int {
            (elements.count + Self.turnCount - 1) / Self.turnCount
        }
        let formerTurns = turnCount(former)
        let shares = try Parallel.run(
            workers: workers, turns: formerTurns + turnCount(current),
            workspace: { _ in Share(taken: setting.empty, given: setting.empty) }
        ) { share, number, _ in
            if number < formerTurns {
                let pass = setting.pass(core, cut: kept.cut, at: kept.at)
                for element in Self.turn(number, of: former) {
                    guard let subject = try pass.subject(element) else { continue }
                    share.taken.add(subject)
                    share.takenCount += 1
                }
            } else {
                let pass = setting.pass(core, cut: cut, at: at)
                for element in Self.turn(number - formerTurns, of: current) {
                    var changes: MetricsPass.NextChange? = .init(setting.empty.buckets)
                    let subject = try pass.subject(element, &changes)
                    if let time = changes?.time, time < Int64.max {
                        share.changes.append(.init(time: time, element: element))
                    }
                    guard let subject else { continue }
                    share.given.add(subject)
                    share.givenCount += 1
                }
            }
        }
        for share in shares {
            next.answer.add(share.given)
            next.subjectCount += share.givenCount - share.takenCount
            for change in share.changes { next.changes.add(change) }
        }
        for share in shares {
            guard next.answer.remove(share.taken) else {
                core.log.tell(
                    .warning,
                    "a kept answer about metrics does not fit its events; it is computed anew")
                return false
            }
        }
        return true
    }

    private static func turn(
        _ number: Int, of elements: [MetricsPass.Element]
    ) -> ArraySlice<MetricsPass.Element> {
        elements[number * turnCount..<min((number + 1) * turnCount, elements.count)]
    }

    /// The same, each person once, as far as a pass knows who is who.
    private static func persons(
        _ elements: [MetricsPass.Element], _ pass: MetricsPass
    ) -> [MetricsPass.Element] {
        var seen: Set<UInt32> = []
        return elements.filter { element in
            guard case .customer(let key) = element else { return true }
            return seen.insert(pass.person(of: key)).inserted
        }
    }
}

extension KeptMetrics.Answer {
    init(
        _ setting: MetricsQuestion.Setting, _ answer: MetricsAnswer, subjectCount: Int,
        _ changes: ComingChanges
    ) {
        self.init(
            request: setting.request, zoneName: setting.zoneName,
            catalog: setting.look.catalog?.version, conversion: setting.rates?.conversion,
            at: setting.look.at, cut: setting.look.cut,
            answer: answer, subjectCount: subjectCount, changes: changes)
    }

    /// Whether it answers the same question, if perhaps of another time and state of knowledge.
    fileprivate func answers(_ setting: MetricsQuestion.Setting) -> Bool {
        request == setting.request && zoneName == setting.zoneName
            && catalog == setting.look.catalog?.version
            && conversion == setting.rates?.conversion
            && answer.buckets == setting.empty.buckets
    }
}

extension MetricsQuestion.Setting {
    /// Whether the answer is worth keeping, and all that changes it is known: a catalog comes into force at a time of
    /// its own, so a filter by it does not say.
    var isKept: Bool { request.rules.filter.catalogVersion == nil }

    /// Whether a period begins or ends between a time and that of the question, which may concern everyone.
    func hasBound(after instant: Int64) -> Bool {
        let buckets = empty.buckets
        return ([buckets.before.lowerBound] + buckets.bounds).contains {
            instant < $0 && $0 <= look.at
        }
    }
}
