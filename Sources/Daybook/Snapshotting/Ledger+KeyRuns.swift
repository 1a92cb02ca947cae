import DaybookDomain
import DaybookEvents
import DaybookStore

/// The files in which the keys of all events can be looked up (design §5): read at opening, written by whoever commits
/// the last event of a unit, made again by a scan where they are lost.
extension Ledger {
    private func lookupFolder() -> LookupFolder? {
        path.map {
            LookupFolder(
                path: Self.snapshotFolder(of: $0), like: $0,
                ledger: SnapshotFormat.ledgerNumber(store.header))
        }
    }

    /// Reads where every key stands, before the first one is looked for.
    func readKeys() throws { try translating { try state.withLock { try readKeys(&$0) } } }

    /// Takes the keys of files, scans for what they do not have, and ends where the state does.
    func readKeys(_ state: inout LedgerState) throws {
        guard state.keys == nil else { return }
        let head = state.head.position
        var runs: [LookupRun] = []
        if let folder = lookupFolder() {
            let contents = try folder.contents(through: head) { try store.confirms($0) }
            for problem in contents.problems {
                log.tell(.warning, "lookup array not used: \(problem)")
            }
            setAside("lookup arrays", contents.foreign)
            var next: Int64 = 1
            for run in contents.runs {
                runs += try readRuns(from: next, to: run.range.lowerBound - 1)
                runs.append(run)
                next = run.range.upperBound + 1
            }
        }
        var keys = KeyIndex(runs: runs, hashKey: store.header.secret.lookupKey)
        let rest = Checkpoint(position: keys.through)
        try store.scan(after: rest, through: state.head.checkpoint, chunkCount: 1_000) { events in
            for index in events.indices {
                let event = events[index]
                let ids = EventIDs(event, in: state.stream(event.stream))
                keys.note(state.eventKey(event), ids, at: event.position)
            }
        }
        state.keys = keys
    }

    /// Runs of one unit each, from the events themselves.
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
                guard event.position % LookupRun.unitCount == 0 else { continue }
                let start = event.position - LookupRun.unitCount + 1
                runs.append(LookupRun(start...event.position, entries: entries, ids: ids))
                entries.removeAll(keepingCapacity: true)
                ids.removeAll(keepingCapacity: true)
            }
        }
        return runs
    }

    /// Writes the runs that are in memory alone; the caller holds the ledger's lock. Without a place to write to they
    /// stay in memory.
    func writeKeyRuns() {
        guard let folder = lookupFolder() else { return }
        let runs = state.withLock { $0.keys?.runs ?? [] }
        guard runs.contains(where: { $0.path == nil || $0.isDamaged }) else { return }
        do {
            // What was taken for a key then must not get into a file.
            try knowledge.check()
            for run in runs where run.isDamaged {
                let path = run.path ?? ""
                log.tell(.warning, "lookup array \(path) is damaged and is made anew")
                let parts = try readRuns(from: run.range.lowerBound, to: run.range.upperBound)
                try write(LookupRun.merged(parts), to: folder, isReplacing: true)
            }
            for run in runs where run.path == nil { try write(run, to: folder) }
        } catch {
            log.tell(.warning, "lookup arrays stay in memory: \(Self.storeError(error).message)")
        }
    }

    private func write(
        _ run: LookupRun, to folder: LookupFolder, isReplacing: Bool = false
    ) throws {
        guard let history = try store.point(at: run.range.upperBound) else { return }
        let written = try folder.write(run, history: history, isReplacing: isReplacing)
        state.withLock { $0.keys?.replace(written) }
    }

    /// Puts files of another history out of the way: what they hold happened in none that this ledger goes on from.
    func setAside(_ what: String, _ paths: [String]) {
        guard let first = paths.first else { return }
        let count = isReadOnly ? 0 : paths.count { DerivedFile.setAside($0) }
        let verb = count == paths.count ? "were set aside" : "are not used"
        log.tell(
            .warning,
            "\(paths.count) \(what) of another history of this ledger \(verb), such as \(first): the ledger was restored or replaced"
        )
    }
}
