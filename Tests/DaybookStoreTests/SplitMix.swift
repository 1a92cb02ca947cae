import Foundation

/// A small generator whose whole state is its seed (Steele, Lea and Flood 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    /// A generator for one property: `DAYBOOK_SEED`, else any seed; printed, so that a failure can be repeated.
    static func seeded(_ property: String, _ round: UInt64 = 0) -> SplitMix {
        let seed =
            ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0...UInt64.max)
        print("\(property): seed \(seed) (DAYBOOK_SEED repeats it)")
        return SplitMix(state: seed &+ round)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
