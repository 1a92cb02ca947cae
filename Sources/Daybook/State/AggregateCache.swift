import DaybookDomain
import DaybookEvents
import Synchronization

/// The folded states of the aggregates that were asked for lately; every other one is folded when it is asked for.
///
/// A state is good as long as the aggregate has the same events and the ledger the same corrections, which its stamp
/// says: nothing has to be told to the cache, and a state that is out of date is not found. A commit carries on what it
/// touches. Two generations: what was not asked for while a whole generation came in is forgotten.
///
/// In parts with a lock each, which a commit takes for one aggregate at a time, so that a question hardly ever waits.
package final class AggregateCache: Sendable {
    /// Which events a state was folded from.
    package struct Stamp: Sendable, Equatable {
        /// Of the last positions of the aggregate's streams.
        var heads: UInt64
        /// How many corrections were known.
        var corrections: Int

        package init(heads: UInt64 = 0, corrections: Int) {
            self.heads = heads
            self.corrections = corrections
        }

        /// Takes the next of the aggregate's streams.
        mutating func take(_ head: StreamTable.Head) {
            heads = (heads ^ UInt64(bitPattern: head.position)) &* 0x9E37_79B9_7F4A_7C15
            heads ^= heads >> 29
        }
    }

    /// What an entry was before a commit that is being published.
    private struct Former {
        var stamp: Stamp
        var folded: SharedAggregate
        var decisions: [StandingDecision]
    }

    private struct Entry {
        var stamp: Stamp
        var folded: SharedAggregate
        /// The newest last.
        var decisions: [StandingDecision] = []
        /// At most one, and hardly ever: an array, because an empty one takes 8 bytes here. Those who ask have not seen
        /// the commit yet.
        var former: [Former] = []

        func state(_ asked: Stamp) -> SharedAggregate? {
            if stamp == asked { return folded }
            return former.first.flatMap { $0.stamp == asked ? $0.folded : nil }
        }

        func decisions(_ asked: Stamp) -> [StandingDecision] {
            if stamp == asked { return decisions }
            return former.first.flatMap { $0.stamp == asked ? $0.decisions : nil } ?? []
        }
    }

    private struct Content {
        var young: [UInt32: Entry] = [:]
        var old: [UInt32: Entry] = [:]
        /// About how many bytes of memory the young ones take.
        var youngByteCount = 0
        /// What was carried on by the commit that is being published; `nil`: none is.
        var carriedOn: [UInt32]?
    }

    private final class Part: Sendable {
        let content = Mutex(Content())
    }

    private let parts = (0..<16).map { _ in Part() }
    /// A generation is full with so many bytes in it: half of what all states may take. Customers keep every use, so
    /// that a bound on how many of them are held would let the memory grow for as long as they go on.
    private let generationByteCount: Int
    /// Of the young ones of all parts, which become old together.
    private let youngByteCount = Atomic<Int>(0)
    private let turning = Mutex(())
    /// How many decisions about one customer are at hand: apps ask the same few questions again and again.
    private static let decisionCountMax = 4
    /// About, with its texts and what else it holds.
    private static let decisionByteCount =
        MemoryLayout<CheckQuestion>.stride + MemoryLayout<Decision>.stride
        + MemoryLayout<MeterAnswer>.stride + MemoryLayout<Source>.stride
        + MemoryLayout<PaywallAnswer>.stride + 2 * MemoryLayout<DisplayText>.stride + 640
    /// What an entry takes beside its state, of a table that is three quarters full.
    private static let entryByteCount = MemoryLayout<Entry>.stride * 4 / 3
    /// A state that takes more is not kept as it was: copying it would keep those who ask waiting.
    private static let formerByteCountMax = 64 << 10

    /// - Parameter byteCountMax: How much memory the states may take, about.
    package init(byteCountMax: Int) { generationByteCount = max(1, byteCountMax / 2) }

    /// How much memory they may take.
    package var byteCountMax: Int { 2 * generationByteCount }

    private func part(of aggregate: UInt32) -> Part { parts[Int(aggregate) % parts.count] }

    /// Lends the part of an aggregate to be added to, and counts what its young ones take then.
    private func changePart<Result>(
        of aggregate: UInt32, _ body: (inout sending Content) -> sending Result
    ) -> sending Result {
        if youngByteCount.load(ordering: .relaxed) >= generationByteCount { turn() }
        return part(of: aggregate).content.withLock { content in
            let before = content.youngByteCount
            defer {
                let more = content.youngByteCount - before
                if more != 0 { youngByteCount.wrappingAdd(more, ordering: .relaxed) }
            }
            return body(&content)
        }
    }

    /// What is young becomes old, and what was old is forgotten.
    private func turn() {
        let forgotten = turning.withLock { _ -> [[UInt32: Entry]] in
            // Another thread may have done so by now.
            guard youngByteCount.load(ordering: .relaxed) >= generationByteCount else { return [] }
            return parts.map { part in
                part.content.withLock { content in
                    let old = content.old
                    content.old = content.young
                    content.young = [:]
                    youngByteCount.wrappingSubtract(content.youngByteCount, ordering: .relaxed)
                    content.youngByteCount = 0
                    return old
                }
            }
        }
        // Freed while no part is held: it may be much.
        _ = consume forgotten
    }

    /// An aggregate's state; `nil` where it must be folded.
    package func state(of aggregate: UInt32, _ stamp: Stamp) -> SharedAggregate? {
        let (young, isOld) = part(of: aggregate).content.withLock {
            content -> (SharedAggregate?, Bool) in
            if let entry = content.young[aggregate] { return (entry.state(stamp), false) }
            return (nil, content.old[aggregate] != nil)
        }
        guard isOld else { return young }
        return changePart(of: aggregate) { content in
            if let entry = content.young[aggregate] { return entry.state(stamp) }
            guard let entry = content.old.removeValue(forKey: aggregate),
                let folded = entry.state(stamp)
            else { return nil }
            insert(entry, aggregate, &content)
            return folded
        }
    }

    /// Remembers a state that was folded.
    package func keep(_ folded: SharedAggregate, of aggregate: UInt32, _ stamp: Stamp) {
        changePart(of: aggregate) { content in
            content.old[aggregate] = nil
            insert(Entry(stamp: stamp, folded: folded), aggregate, &content)
        }
    }

    private func insert(_ entry: Entry, _ aggregate: UInt32, _ content: inout Content) {
        content.youngByteCount += Self.byteCount(entry)
        if let former = content.young.updateValue(entry, forKey: aggregate) {
            content.youngByteCount -= Self.byteCount(former)
        }
    }

    private static func byteCount(_ entry: Entry) -> Int {
        entry.folded.heldByteCount + entryByteCount + entry.decisions.count * decisionByteCount
    }

    /// Takes what is young out of the cache.
    private static func drop(_ aggregate: UInt32, _ content: inout Content) {
        guard let former = content.young.removeValue(forKey: aggregate) else { return }
        content.youngByteCount -= byteCount(former)
    }

    /// About how many bytes of memory the states take.
    package var byteCount: Int {
        parts.reduce(0) { sum, part in
            part.content.withLock { content in
                content.old.values.reduce(sum + content.youngByteCount) { $0 + Self.byteCount($1) }
            }
        }
    }

    /// A decision about an aggregate of which that is so; `nil`: none is at hand.
    func decision(
        on aggregate: UInt32, _ stamp: Stamp, where isGood: (StandingDecision) -> Bool
    ) -> StandingDecision? {
        part(of: aggregate).content.withLock { content in
            // One that is not young is found with its state at the next question.
            content.young[aggregate]?.decisions(stamp).last(where: isGood)
        }
    }

    /// Remembers a decision beside the state that it was decided upon.
    func keep(
        _ decision: StandingDecision, on aggregate: UInt32, _ stamp: Stamp,
        of folded: SharedAggregate
    ) {
        changePart(of: aggregate) { content in
            guard let index = content.young.index(forKey: aggregate) else { return }
            content.youngByteCount += Self.keep(
                decision, stamp, of: folded, &content.young.values[index])
        }
    }

    /// - Returns: How many bytes more the entry takes then.
    private static func keep(
        _ decision: StandingDecision, _ stamp: Stamp, of folded: SharedAggregate,
        _ entry: inout Entry
    ) -> Int {
        guard entry.stamp == stamp, entry.folded.isIdentical(to: folded) else { return 0 }
        let before = entry.decisions.count
        entry.decisions.removeAll { $0.answers(decision.question) }
        if entry.decisions.count >= decisionCountMax { entry.decisions.removeFirst() }
        entry.decisions.append(decision)
        return (entry.decisions.count - before) * decisionByteCount
    }

    /// Whether anything is known of the aggregate, out of date or not.
    package func knows(_ aggregate: UInt32) -> Bool {
        part(of: aggregate).content.withLock {
            $0.young[aggregate] != nil || $0.old[aggregate] != nil
        }
    }

    /// Carries a state on by the event that was committed; one that comes late makes it out of date instead.
    package func evolve(
        _ aggregate: UInt32, _ event: Event, from before: Stamp, to after: Stamp,
        names: borrowing NameTable
    ) {
        changePart(of: aggregate) { content in
            if let entry = content.old.removeValue(forKey: aggregate) {
                insert(entry, aggregate, &content)
            }
            // Asked without taking the entry out: a second reference would cost a copy of its arrays.
            guard content.young[aggregate]?.stamp == before,
                content.young[aggregate]?.folded.newest.isBefore(OrderKey(event)) == true
            else { return Self.drop(aggregate, &content) }
            if content.carriedOn != nil { Self.keepFormer(of: aggregate, &content) }
            let before = content.young[aggregate]?.folded.heldByteCount ?? 0
            content.young[aggregate]?.folded.evolve(event, names: names)
            content.young[aggregate]?.stamp = after
            let decisionCount = content.young[aggregate]?.decisions.count ?? 0
            content.young[aggregate]?.decisions = []
            content.youngByteCount -= decisionCount * Self.decisionByteCount
            content.youngByteCount +=
                (content.young[aggregate]?.folded.heldByteCount ?? 0) - before
        }
    }

    private static func keepFormer(of aggregate: UInt32, _ content: inout Content) {
        guard let entry = content.young[aggregate], entry.former.isEmpty,
            entry.folded.heldByteCount <= formerByteCountMax
        else { return }
        content.young[aggregate]?.former = [
            Former(stamp: entry.stamp, folded: entry.folded, decisions: entry.decisions)
        ]
        content.carriedOn?.append(aggregate)
    }

    /// Has what a commit carries on stay at hand as it was, too, until all of the commit is shown: in memory that comes
    /// on top of what states may take.
    package func beginPublishing() {
        for part in parts { part.content.withLock { $0.carriedOn = [] } }
    }

    /// Forgets what was before the commit.
    package func endPublishing() {
        for part in parts { Self.endPublishing(part.content) }
    }

    private static func endPublishing(_ content: borrowing Mutex<Content>) {
        let carriedOn = content.withLock { $0.carriedOn.take() } ?? []
        // A few at a time: others ask meanwhile.
        for start in stride(from: 0, to: carriedOn.count, by: 32) {
            content.withLock { content in
                for aggregate in carriedOn[start..<min(start + 32, carriedOn.count)] {
                    // Looked up first: a change would make room for an entry that is not there.
                    if content.young[aggregate] != nil { content.young[aggregate]?.former = [] }
                    if content.old[aggregate] != nil { content.old[aggregate]?.former = [] }
                }
            }
        }
    }

    /// Every state that is at hand, for a comparison with a replay.
    package var states: [(aggregate: UInt32, stamp: Stamp, state: AggregateState)] {
        parts.flatMap { part in
            part.content.withLock { content in
                (Array(content.young) + Array(content.old)).map {
                    ($0.key, $0.value.stamp, $0.value.folded.state)
                }
            }
        }
    }
}
