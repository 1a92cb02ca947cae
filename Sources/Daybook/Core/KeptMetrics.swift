import DaybookDomain
import DaybookEvents
import Synchronization

/// The answers to the last questions about metrics, as the sums that they were made of, so that the same question
/// only looks at what was recorded and what came due since (`MetricsUpdate`).
///
/// In memory alone, and bounded: what is forgotten is computed anew.
package final class KeptMetrics: Sendable {
    struct Answer: Sendable {
        let request: MetricsRequest
        let zoneName: String
        /// The version of the catalog.
        let catalog: Int64?
        let conversion: CurrencyConversion?
        /// The time and the state of knowledge of the answer.
        var at: Int64
        var cut: Int64
        var answer: MetricsAnswer
        var subjectCount: Int
        var changes: ComingChanges

        /// What it takes of memory, counted in numbers.
        fileprivate var size: Int { answer.sums.count + changes.count }
    }

    private static let countMax = 16
    private static let sizeMax = 4_000_000

    /// The one that was used last is the last.
    private let answers = Mutex<[Answer]>([])
    private let uses = Atomic(0)

    /// How many questions were answered by what was kept.
    package var useCount: Int { uses.load(ordering: .relaxed) }

    func noteUse() { uses.add(1, ordering: .relaxed) }

    var isEmpty: Bool { answers.withLock(\.isEmpty) }

    func find(where isWanted: (Answer) -> Bool) -> Answer? {
        answers.withLock { answers in
            guard let place = answers.lastIndex(where: isWanted) else { return nil }
            answers.append(answers.remove(at: place))
            return answers.last
        }
    }

    /// Keeps an answer in the place of another one of the same question, unless that knows more.
    func keep(_ answer: Answer) {
        answers.withLock { answers in
            let former = answers.firstIndex { other in
                other.request == answer.request
            }
            if let former {
                let other = answers[former]
                if other.catalog == answer.catalog, other.cut >= answer.cut, other.at > answer.at {
                    return
                }
                answers.remove(at: former)
            }
            answers.append(answer)
            var size = answers.reduce(0) { $0 + $1.size }
            while answers.count > Self.countMax || (size > Self.sizeMax && !answers.isEmpty) {
                size -= answers.removeFirst().size
            }
        }
    }
}

/// What metrics are computed of: one of these at a time.
enum MetricElement: Hashable, Sendable {
    case customer(CustomerKey)
    /// For the times at which no customer owned it.
    case lineage(UInt32)
}

/// When subjects may contribute something else although nothing new is recorded: the end of a trial, a renewal that
/// comes due, what was recorded ahead of its time.
struct ComingChanges: Sendable {
    struct Change: Sendable {
        var time: Int64
        var element: MetricElement
    }

    /// Ascending by time; shared by the answers that come from one another.
    private let first: [Change]
    /// How many of these are past.
    private var pastCount = 0
    /// Of subjects that were looked at since; each has one time, however often that was.
    private var later: [MetricElement: Int64] = [:]

    init(_ changes: [Change]) { first = changes.sorted { $0.time < $1.time } }

    var count: Int { first.count + later.count }

    mutating func add(_ change: Change) { later[change.element] = change.time }

    /// Takes out what comes up to a time, that itself included.
    mutating func takeChanges(through instant: Int64) -> [MetricElement] {
        var taken: [MetricElement] = []
        while pastCount < first.count, first[pastCount].time <= instant {
            taken.append(first[pastCount].element)
            pastCount += 1
        }
        let due = later.filter { $0.value <= instant }.keys
        for element in due { later[element] = nil }
        return taken + due
    }
}
