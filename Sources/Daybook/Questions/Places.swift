import DaybookEvents
import DaybookStore

/// Places of a ledger's history, and whether one is of it.
struct Places {
    let core: LedgerCore

    /// The place at the end.
    func end() throws -> Place {
        return try core.answering {
            try place(at: taken, cut: taken)
        }
    }

    /// The place after the event at a position.
    func place(at position: Int64) throws -> Place {
        return try core.answering {
            try core.takeIn(through: position)
            let cut = taken
            try LedgerError.require(
                (0...cut).contains(position), "unknown_position",
                "position \(position) is beyond the end, which is \(cut)")
            return try place(at: position, cut: cut)
        }
    }

    /// Refuses a place that is not of this history.
    func confirm(_ place: Place) throws {
        try core.refresh()
        try core.translating {
            try core.takeIn(through: place.position)
            _ = try walk(from: place, cut: taken)
        }
    }

    /// The end of what is taken in.
    private var taken: Int64 { core.state.withLock { $0.head.position } }

    private func place(at position: Int64, cut: Int64) throws -> Place {
        try PlaceWalk(
            core, try Epochs(core, cut: cut), at: try PlaceWalk.cursor(core, at: position)
        ).place()
    }

    /// A walk that stands at a place.
    /// - Parameters:
    ///   - place: `nil`: the beginning.
    ///   - cut: The end of what is taken in.
    /// - Throws: `.historyReplaced`, `.placeAhead`.
    func walk(from place: Place?, cut: Int64) throws -> PlaceWalk {
        let position = place?.position ?? 0
        let epochs = try Epochs(core, cut: cut)
        let walk = PlaceWalk(
            core, epochs, at: try PlaceWalk.cursor(core, at: min(position, cut)))
        guard let place else { return walk }
        let found = try walk.place()
        if position > cut {
            // A later restore than this file knows of, or more events of the epoch in which it ends.
            let isLater = place.epoch > found.epoch
            let isSame = place.epoch == found.epoch && place.origin == found.origin
            if isLater || isSame { throw LedgerError.placeAhead(place, end: found) }
        }
        guard found == place else {
            throw LedgerError.historyReplaced(place, fork: try fork(of: place, walk))
        }
        return walk
    }

    /// The last place that this history and that of a strange place both have: the end of the backup with which the
    /// epoch of the place was given up.
    ///
    /// Epochs alone tell that. What was put back without a restore, as by `cp`, begins none.
    private func fork(of place: Place, _ walk: PlaceWalk) throws -> Place? {
        var walk = walk
        for epoch in walk.epochs.all where epoch.number == place.epoch {
            try walk.go(to: epoch.start)
            guard try walk.place().origin == place.origin,
                let next = walk.epochs.epoch(after: epoch), place.position >= next.start
            else { return nil }
            // The epoch went on further than the ledger that was given up for the next one: in another file, then.
            if next.number == epoch.number + 1, let end = next.abandonedPosition,
                place.position > end
            {
                return nil
            }
            try walk.go(to: next.start - 1)
            return try walk.place()
        }
        return nil
    }
}
