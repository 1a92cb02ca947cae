/// The state of a lineage by one reference, with memory of its own only once an event was folded into it: it is larger
/// than all else that an aggregate has in itself, and most aggregates are customers.
///
/// Copies share it until one of them changes it.
struct HeldLineage: Sendable, Equatable, CustomStringConvertible {
    /// Changed only while one value alone refers to it.
    private final class Box: @unchecked Sendable {
        @exclusivity(unchecked) var state: LineageState
        init(_ state: LineageState) { self.state = state }
    }

    /// `nil`: no event was folded.
    private var box: Box?

    private static let empty = LineageState()

    init() {}

    var state: LineageState {
        @inline(__always)
        _read { if let box { yield box.state } else { yield Self.empty } }
        @inline(__always)
        _modify {
            // Asked first: a reference that is taken out to be looked at would be a second one.
            if !isKnownUniquelyReferenced(&box) { box = Box(box?.state ?? Self.empty) }
            yield &box.unsafelyUnwrapped.state
        }
    }

    /// Begins anew in the memory that it has.
    mutating func reset() {
        if isKnownUniquelyReferenced(&box) { box?.state = Self.empty } else { box = nil }
    }

    /// How many bytes it takes beside the reference.
    var byteCount: Int {
        guard let box else { return 0 }
        return 16 + MemoryLayout<LineageState>.stride + box.state.heldByteCount
    }

    var description: String { "\(state)" }

    static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.state == right.state
    }
}
