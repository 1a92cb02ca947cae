import DaybookEvents
import DaybookStore
import Dispatch
import Synchronization

/// Commands of one commit that are decided before their turns come, side by side on whatever threads are free.
final class Foresight: Sendable {
    /// So many requests are foreseen at a time, each with its customer until it is decided in its turn.
    private static let countMax = 64
    /// Fewer are decided in their turns: another thread would not be there in time.
    static let countMin = 8
    /// So many are foreseen by one thread before it takes the next ones.
    private static let countOfTurn = 4

    /// What they are decided upon.
    private struct Basis {
        let group: GroupDecision
        let state: LedgerState
    }

    private struct Helpers {
        var running = 0
        var isOver = false
    }

    private let core: LedgerCore
    /// The ledger's clock at which the commands are decided.
    let time: LedgerClock
    /// `nil` for what is decided in its turn alone.
    private let commands: [PreparedCommand?]
    /// `nil` once the last one is begun: a copy of the state makes the next commit copy what it changes.
    private let basis: Mutex<Basis?>
    private let begun = Atomic(0)
    private let found: Mutex<[Foreseen?]>
    private let helpers = Mutex(Helpers())
    private let done = DispatchSemaphore(value: 0)

    private init(_ commands: [PreparedCommand?], _ basis: Basis, _ core: LedgerCore) {
        self.core = core
        self.commands = commands
        self.basis = Mutex(basis)
        time = basis.group.time
        found = Mutex([Foreseen?](repeating: nil, count: commands.count))
    }

    private static var hasHelp: Bool { Parallel.processorCount > 1 }

    /// Whether a group of these requests would be decided ahead.
    static func isUseful(for requests: [WriteRequest]) -> Bool {
        hasHelp && count(of: requests[...]) >= countMin
    }

    /// How many requests come before the first one that may close their group: what is behind it is decided in the next
    /// group.
    static func count(of requests: ArraySlice<WriteRequest>) -> Int {
        requests.prefix(countMax).prefix { $0.foreseeable != nil }.count
    }

    /// Begins to decide requests upon what a group knows; of one customer only the first, which the next ones rest on.
    /// - Parameters:
    ///   - requests: As many as `count(of:)` says.
    ///   - changing: Streams of customers of whom nothing is foreseen.
    /// - Returns: `nil` where they are decided as fast in their turns.
    static func beginning(
        _ requests: ArraySlice<WriteRequest>, _ group: GroupDecision, _ state: LedgerState,
        _ core: LedgerCore, changing: Set<UInt32> = []
    ) -> Foresight? {
        guard requests.count >= countMin, hasHelp else { return nil }
        var subjects: Set<StreamName> = []
        let commands = requests.map { request -> PreparedCommand? in
            guard let command = request.foreseeable else { return nil }
            let (environment, subject) = (command.request.environment, command.request.subject)
            guard subjects.insert(StreamName(environment, .customer, subject)).inserted else {
                return nil
            }
            let stream =
                changing.isEmpty ? nil : state.stream(named: subject, .customer, in: environment)
            return stream.map(changing.contains) == true ? nil : command
        }
        let foresight = Foresight(commands, Basis(group: group, state: state), core)
        let turns = (commands.count + countOfTurn - 1) / countOfTurn
        for _ in 0..<min(turns, Parallel.processorCount) - 1 {
            DispatchQueue.global(qos: .userInitiated).async { foresight.help() }
        }
        return foresight
    }

    /// Begins to decide the requests of the commit that follows one which is about to be written: upon what was known
    /// before that one, and where it changes what a command rests on, the command is decided anew.
    ///
    /// Why: a disk takes as long for a commit as a processor for a group's decisions.
    /// - Parameters:
    ///   - wall: What the clock said when the requests waited already.
    ///   - rows: Of the commit before.
    static func ahead(
        _ requests: [WriteRequest], at wall: Int64, after rows: [EventRow], _ core: LedgerCore
    ) -> Foresight? {
        let count = count(of: requests[...])
        guard count >= countMin, let last = rows.last,
            // A clock that cannot be right is told in the turn of the group.
            LedgerClock.problem(wall, isMachine: core.isMachineClock) == nil
        else { return nil }
        let time = LedgerClock(wall: wall, last: last.recordedAt)
        // Else recorded times are ahead of the clock, and it is not certain what was known at a time.
        guard time.lead == 0 else { return nil }
        let state = core.state.withLock { state in
            core.settling.loadZones(&state)
            return state
        }
        let group = GroupDecision(
            store: core.store, head: state.head.position, time: time, bounds: core.bounds)
        return beginning(
            requests[..<count], group, state, core, changing: Set(rows.map(\.event.stream)))
    }

    /// A group has the time at which its commands were foreseen, unless that is so many milliseconds before its turn.
    private static let ageMax: Int64 = 100

    /// Whether a group may have the time of this foresight: whatever is recorded was recorded by then.
    /// - Parameters:
    ///   - turn: The ledger's clock in the group's turn.
    ///   - head: What was committed last.
    func isTimely(_ turn: LedgerClock, after head: StoreHead) -> Bool {
        head.recordedAt <= time.now && isTimely(at: turn.now)
    }

    /// The same by the clock alone, before the group has its turn.
    func isTimely(at now: Int64) -> Bool { time.now <= now && now - time.now <= Self.ageMax }

    /// Gives up what no thread has begun, and waits for those that have.
    func abandon() {
        begun.store(commands.count, ordering: .relaxed)
        _ = take()
    }

    /// What was found, which is then no longer held here.
    /// - Returns: In the order of the requests; `nil` for what is decided in its turn alone.
    func take() -> [Foreseen?] {
        finish()
        return found.withLock { found in
            defer { found = [] }
            return found
        }
    }

    /// Decides what no other thread has begun, and waits for those that have.
    func finish() {
        work()
        let isBusy = helpers.withLock { helpers in
            defer { helpers.isOver = true }
            return !helpers.isOver && helpers.running > 0
        }
        if isBusy { done.wait() }
        basis.withLock { $0 = nil }
    }

    /// A helper that comes when all is done has nothing to do, and no one waits for it.
    private func help() {
        let isNeeded = helpers.withLock { helpers in
            if !helpers.isOver { helpers.running += 1 }
            return !helpers.isOver
        }
        guard isNeeded else { return }
        work()
        let isLast = helpers.withLock { helpers in
            helpers.running -= 1
            return helpers.isOver && helpers.running == 0
        }
        if isLast { done.signal() }
    }

    private func work() {
        var basis = basis.withLock { $0 }
        if let upon = basis { decide(upon: upon) }
        // The next commit changes in place what no copy has any more. It holds the state then, and so does who gives up
        // a copy: what was read before cannot be changed at the same time.
        core.state.withLock { _ in basis = nil }
    }

    private func decide(upon basis: Basis) {
        let (group, state) = (basis.group, basis.state)
        let builder = group.builder(state, at: group.now)
        while true {
            let first = begun.wrappingAdd(Self.countOfTurn, ordering: .relaxed).oldValue
            if first + Self.countOfTurn >= commands.count { self.basis.withLock { $0 = nil } }
            guard first < commands.count else { return }
            for index in first..<min(first + Self.countOfTurn, commands.count) {
                guard let command = commands[index] else { continue }
                let step = CommandStep(command: command, store: core.store, zones: core.zoneTables)
                let made = Foreseen.foreseeing(step, group, state, builder)
                found.withLock { $0[index] = made }
            }
        }
    }
}
