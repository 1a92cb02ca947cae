import DaybookDomain
import DaybookEvents

/// The folded states of all units: those of the newest snapshot, decoded when they are asked for, below those that were
/// folded since.
struct UnitTable {
    enum Lookup {
        case found(UnitState)
        case none
        /// The snapshot's bytes cannot be read: fold the unit from its events (law 3).
        case damaged
    }

    private var folded: [UInt32: UnitState] = [:]
    /// Units of the snapshot that were folded anew or are gone.
    private var superseded: Set<UInt32> = []
    private let base: SnapshotUnits?

    init(base: SnapshotUnits? = nil) { self.base = base }

    func lookup(_ unit: UInt32) -> Lookup {
        if let state = folded[unit] { return .found(state) }
        guard let base, !superseded.contains(unit), base.contains(unit) else { return .none }
        return base.state(unit).map(Lookup.found) ?? .damaged
    }

    /// Replaces a unit's state; `nil` removes it.
    mutating func set(_ unit: UInt32, _ state: UnitState?) {
        folded[unit] = state
        if base != nil { superseded.insert(unit) }
    }

    /// Folds an event into its unit.
    /// - Returns: `false` when the event does not come last in canonical order, or the unit cannot be read.
    mutating func evolve(
        _ unit: UInt32, _ kind: StreamKind, _ event: Event, names: borrowing NameTable
    ) -> Bool {
        if folded[unit] == nil {
            switch lookup(unit) {
            case .found(let state): set(unit, state)
            case .none: folded[unit] = UnitState(kind: kind)
            case .damaged: return false
            }
        }
        guard folded[unit]?.accepts(event) == true else { return false }
        folded[unit]?.evolve(event, names: names)
        return true
    }

    /// Every unit that has a state, in ascending order.
    var ids: [UInt32] {
        let below = base?.ids.filter { !superseded.contains($0) && folded[$0] == nil } ?? []
        return (folded.keys + below).sorted()
    }
}
