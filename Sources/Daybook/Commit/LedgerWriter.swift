import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// The one place through which anything is written to a ledger: a queue of requests in front of the journey, and what
/// is written beside the work after each commit.
package final class LedgerWriter: Sendable {
    package let core: LedgerCore
    private let journey: Journey
    private let derived: DerivedWriting
    /// `nil`: the ledger is closed.
    private let queue = Mutex<WriteQueue?>(nil)
    private let done = Mutex(Done())

    private struct Done {
        var commits: Int64 = 0
        var requests: Int64 = 0
        var events: Int64 = 0
        var groupSizes = [Int64](
            repeating: 0, count: LedgerActivity.groupSizeBounds.count + 1)

        mutating func add(_ requestCount: Int64, _ eventCount: Int64) {
            commits += 1
            requests += requestCount
            events += eventCount
            let bounds = LedgerActivity.groupSizeBounds
            groupSizes[bounds.firstIndex { requestCount <= $0 } ?? bounds.count] += 1
        }
    }

    init(_ core: LedgerCore) {
        self.core = core
        journey = Journey(core: core)
        derived = DerivedWriting(core)
        let commit: WriteQueue.Commit = { [weak self] group, take in
            self?.commit(group, taking: take) ?? WriteGroup([])
        }
        queue.withLock { $0 = WriteQueue(commit: commit) }
    }

    /// - Parameter take: Gives the requests of the commit after this one, if they can be decided while this one is
    ///   written.
    /// - Returns: What must be committed next.
    private func commit(
        _ group: WriteGroup, taking take: () -> [WriteRequest] = { [] }
    ) -> WriteGroup {
        let outcome = journey.commit(group, taking: take)
        if outcome.hasAppended {
            let count = group.requests.count - outcome.rest.count
            done.withLock { $0.add(Int64(count), Int64(outcome.eventCount)) }
        }
        if !outcome.hasFailed { derived.schedule(hasAppended: outcome.hasAppended) }
        return outcome.next ?? WriteGroup(outcome.rest)
    }

    // MARK: Requests

    /// Waits in the queue for a commit, and for the answer.
    func submit(_ content: WriteRequest.Content) async throws -> WriteRequest.Answer {
        try await withCheckedThrowingContinuation { continuation in
            let request = WriteRequest(content: content) { result in
                continuation.resume(with: result.mapError { $0 as any Error })
            }
            guard let queue = queue.withLock({ $0 }) else {
                return request.answer(
                    .failure(.store(StoreError(.closed, "the ledger is closed; open it again"))))
            }
            queue.submit(request)
        }
    }

    /// Decides a command and appends what it comes to.
    package func perform(_ request: CommandRequest) async throws -> Receipt {
        guard case .receipt(let receipt) = try await submit(.command(PreparedCommand(request)))
        else {
            preconditionFailure("a command is answered with a receipt")
        }
        return finished(receipt)
    }

    /// The receipt with its numbers. What is committed stays so: where the numbers cannot be worked out any more,
    /// because what they rest on was lost since, the receipt has none.
    private func finished(_ pending: PendingReceipt) -> Receipt {
        do {
            let receipt = try pending.finished()
            try core.knowledge.check()
            return receipt
        } catch {
            core.log.tell(
                .warning, "a receipt has no numbers: \(StoreError.wrapping(error).message)")
            return pending.bare
        }
    }

    /// Takes in facts: wholly, or not at all.
    func record(_ drafts: [EventDraft], _ options: ReportOptions) async throws -> ReportReceipt {
        try await record(await PreparedReports.preparing(drafts, core), options)
    }

    /// Takes in facts that were prepared before.
    func record(
        _ reports: [PreparedEvent], _ options: ReportOptions
    ) async throws -> ReportReceipt {
        try await record(PreparedReports(reports), options)
    }

    /// Takes in facts that were prepared and looked up before.
    func record(
        _ reports: PreparedReports, _ options: ReportOptions
    ) async throws -> ReportReceipt {
        try core.translating {
            for report in reports.events { try core.catalogCache.take(from: report, core.store) }
        }
        guard case .reports(let receipt) = try await submit(.reports(reports, options)) else {
            preconditionFailure("reports are answered with their receipt")
        }
        return receipt
    }

    /// Brings a catalog into force.
    func publish(_ publication: CatalogPublication) async throws -> Receipt {
        let prepared = PreparedPublication(
            publication, core.zoneTables.directory, core.catalogCache)
        guard case .receipt(let receipt) = try await submit(.publish(prepared)) else {
            preconditionFailure("a publication is answered with a receipt")
        }
        return receipt.receipt
    }

    /// How many requests wait for their commit.
    package var waitingCount: Int { queue.withLock { $0 }?.waitingCount ?? 0 }

    /// What was done so far.
    func activity() throws -> LedgerActivity {
        let head = try core.head()
        let done = done.withLock { $0 }
        let cut = core.snapshotCut
        let segments = core.events.segments?.count ?? 0
        return LedgerActivity(
            head: head, commits: done.commits, requests: done.requests, events: done.events,
            groupSizes: done.groupSizes,
            waiting: Int64(waitingCount), snapshotPosition: cut,
            snapshotRecordedAt: try core.translating {
                try core.store.rows(at: [cut]).first?.recordedAt
            }, segmentCount: segments,
            segmentEvents: Int64(segments) * (core.events.segments?.eventCount ?? 0))
    }

    // MARK: At once

    /// Commits some commands as one group, as the queue does with those that wait at the same time.
    /// - Parameters:
    ///   - drafts: Reports that come before them in the group.
    ///   - count: So many of them make a group, and the next so many wait while it is written; `nil`: all are one.
    package func performTogether(
        _ requests: [CommandRequest], after drafts: [EventDraft] = [], inGroupsOf count: Int? = nil
    ) -> [Result<Receipt, LedgerError>] {
        let answers = Mutex([Int: Result<Receipt, LedgerError>]())
        var rest = requests.enumerated().map { index, request in
            WriteRequest(content: .command(PreparedCommand(request))) { result in
                answers.withLock {
                    $0[index] = result.map { [self] answer in
                        guard case .receipt(let receipt) = answer else {
                            preconditionFailure("a command is answered with a receipt")
                        }
                        return finished(receipt)
                    }
                }
            }
        }
        if !drafts.isEmpty {
            let reports = drafts.map { PreparedEvent.preparing($0, core.store.header.secret) }
            let content = WriteRequest.Content.reports(PreparedReports(reports), ReportOptions())
            rest.insert(WriteRequest(content: content) { _ in }, at: 0)
        }
        let groupCount = max(1, count ?? rest.count)
        func next() -> [WriteRequest] {
            defer { rest = Array(rest.dropFirst(groupCount)) }
            return Array(rest.prefix(groupCount))
        }
        while !rest.isEmpty {
            var group = WriteGroup(next())
            while !group.requests.isEmpty { group = commit(group, taking: next) }
        }
        return answers.withLock { answers in requests.indices.compactMap { answers[$0] } }
    }

    /// Records one event on the caller's thread.
    func recordAtOnce(_ draft: EventDraft) throws {
        let reports = [PreparedEvent.preparing(draft, core.store.header.secret)]
        let answer = Mutex<Result<WriteRequest.Answer, LedgerError>?>(nil)
        let content = WriteRequest.Content.reports(PreparedReports(reports), ReportOptions())
        let request = WriteRequest(content: content) { result in answer.withLock { $0 = result } }
        _ = commit(WriteGroup([request]))
        _ = try answer.withLock { $0 }?.get()
    }

    // MARK: Beside the work, and the end

    /// Waits for what is written beside the work, with all that is due now.
    package func finishDerivedWriting() { derived.finish() }

    /// Waits for what was submitted and for what is written beside the work, and closes the store.
    func close() throws {
        let queue = queue.withLock { queue in
            defer { queue = nil }
            return queue
        }
        queue?.close()
        derived.end()
        // Also where something was lost for good: nothing is answered any more.
        do {
            try core.store.close()
        } catch {
            throw LedgerError.store(StoreError.wrapping(error))
        }
    }
}
