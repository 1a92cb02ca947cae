import DaybookEvents
import DaybookStore
import Logging

/// The files in which the keys of all events can be looked up: read at opening, written by the process that commits the
/// last event of a run, made again by a scan where they are lost.
struct KeyFiles: Sendable {
    let store: any EventStore
    /// `nil` for a ledger in memory, whose keys stay there.
    let folder: DerivedFolder?
    /// How many positions the runs may have that are put together within a commit.
    let countMaxOfCommit: Int64
    let knowledge: LostKnowledge
    let log: Logger

    private var lookups: LookupFolder? {
        folder.map {
            LookupFolder(
                path: $0.path, like: $0.ledgerPath,
                ledger: SnapshotFormat.ledgerNumber(store.header))
        }
    }

    /// Reads the keys into a state that has none; the caller holds it, or it is the caller's own.
    func read(into state: inout LedgerState) throws {
        if state.keys == nil { state.keys = try read(state) }
    }

    /// The keys of files and of a scan for what they do not have, up to the end of a state.
    func read(_ state: LedgerState) throws -> KeyIndex {
        let head = state.head.position
        var runs: [LookupRun] = []
        if let lookups {
            let contents = try lookups.contents(through: head) { try store.confirms($0) }
            for problem in contents.problems {
                log.tell(.warning, "lookup array not used: \(problem)")
            }
            folder?.setAside("lookup arrays", contents.foreign)
            var next: Int64 = 1
            for run in contents.runs {
                runs += try readRuns(from: next, to: run.range.lowerBound - 1)
                runs.append(run)
                next = run.range.upperBound + 1
            }
        }
        var keys = KeyIndex(
            runs: runs, hashKey: store.header.secret.lookupKey,
            // Of a ledger in memory all keys are there anyway.
            countMaxHere: folder == nil ? .max : countMaxOfCommit)
        try go(on: &keys, to: state)
        return keys
    }

    /// Takes the keys of the events up to the end of a state.
    func go(on keys: inout KeyIndex, to state: LedgerState) throws {
        let rest = Checkpoint(position: keys.through)
        try store.scan(after: rest, through: state.head.checkpoint, chunkCount: 1_000) { events in
            for index in events.indices {
                let event = events[index]
                let ids = EventIDs(event, in: state.stream(event.stream))
                keys.note(state.eventKey(event), ids, at: event.position)
            }
        }
    }

    /// Runs of the smallest size each, from the events themselves.
    private func readRuns(from first: Int64, to last: Int64) throws -> [LookupRun] {
        guard first <= last else { return [] }
        let streams = try store.streams(after: 0)
        let hashKey = store.header.secret.lookupKey
        var runs: [LookupRun] = []
        var entries: [LookupRun.Entry] = []
        var ids: [LookupRun.Entry] = []
        try store.scan(
            after: Checkpoint(position: first - 1), through: Checkpoint(position: last),
            chunkCount: 1_000
        ) { events in
            for index in events.indices {
                let event = events[index]
                let stream = streams[Int(event.stream) - 1]
                let key = EventKey(stream.environment, event.source, event.key)
                entries.append((key.lookupHash(hashKey), event.position))
                EventIDs(event, in: stream).forEachHash(hashKey) {
                    ids.append(($0, event.position))
                }
                guard event.position % LookupRun.alignment == 0 else { continue }
                let start = event.position - LookupRun.alignment + 1
                runs.append(LookupRun(start...event.position, entries: entries, ids: ids))
                entries.removeAll(keepingCapacity: true)
                ids.removeAll(keepingCapacity: true)
            }
        }
        return runs
    }

    /// Writes the runs that are in memory alone; the caller holds the ledger's lock. Without a place to write to they
    /// stay in memory.
    /// - Parameter replace: Is given each run that was written, in place of the one in memory.
    func write(_ runs: [LookupRun], replace: (LookupRun) -> Void) {
        // Asked after each commit: the folder's name takes some hashing.
        guard runs.contains(where: { $0.path == nil || $0.isDamaged }), let lookups else { return }
        do {
            // What was read from a file that was lost must not get into another one.
            try knowledge.check()
            var runs = runs
            // Several at once were appended by another process, which has written them, too, and perhaps merged them.
            if runs.count(where: { $0.path == nil }) > 1 {
                runs = try taking(lookups, in: runs, replace: replace)
            }
            for run in runs where run.isDamaged {
                let path = run.path ?? ""
                log.tell(.warning, "lookup array \(path) is damaged and is made anew")
                let parts = try readRuns(from: run.range.lowerBound, to: run.range.upperBound)
                if let written = try write(LookupRun.merged(parts), to: lookups, isReplacing: true)
                {
                    replace(written)
                }
            }
            for run in runs where run.path == nil {
                if let written = try write(run, to: lookups) { replace(written) }
            }
        } catch {
            log.tell(
                .warning, "lookup arrays stay in memory: \(StoreError.wrapping(error).message)")
        }
    }

    /// Puts files in the place of the runs in memory that they cover.
    /// - Returns: The runs that are left.
    private func taking(
        _ lookups: LookupFolder, in runs: [LookupRun], replace: (LookupRun) -> Void
    ) throws -> [LookupRun] {
        var rest = runs
        let contents = try lookups.contents(through: runs.last?.range.upperBound ?? 0) {
            try store.confirms($0)
        }
        for file in contents.runs {
            let covered = rest.filter { file.range.contains($0.range.lowerBound) }
            guard covered.contains(where: { $0.path == nil }),
                covered.first?.range.lowerBound == file.range.lowerBound,
                covered.last?.range.upperBound == file.range.upperBound
            else { continue }
            replace(file)
            rest.removeAll { file.range.contains($0.range.lowerBound) }
        }
        return rest
    }

    /// Writes one run over some that lie in files, beside the work.
    /// - Parameter isWanted: Whether to go on.
    /// - Returns: `nil` without a place to write to, where it was given up, and where the store went on from another
    ///   history meanwhile.
    /// - Throws: `StoreError`; the files stay as they are.
    func write(
        merged runs: [LookupRun], isWanted: @escaping @Sendable () -> Bool
    ) throws -> LookupRun? {
        guard let history = runs.last?.history, try store.confirms(history) else { return nil }
        do {
            return try lookups?.write(merged: runs, isWanted: isWanted)
        } catch is LookupMerge.GivenUp {
            return nil
        }
    }

    private func write(
        _ run: LookupRun, to lookups: LookupFolder, isReplacing: Bool = false
    ) throws -> LookupRun? {
        guard let history = try store.point(at: run.range.upperBound) else { return nil }
        return try lookups.write(run, history: history, isReplacing: isReplacing)
    }
}
