extension ZoneTable {
    /// Tells how far the wall clock is ahead of UTC at an instant.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; every value is allowed.
    /// - Returns: Milliseconds, positive east of Greenwich, less than a day.
    /// - Complexity: O(log *n*) in the number of transitions.
    public func offsetMilliseconds(at instant: Int64) -> Int64 {
        offsetMilliseconds(
            afterTransitions: transitions.sortedPrefixCount { $0.instant <= instant })
    }

    /// Reads the wall clock and the wall calendar at an instant.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC. Outside the years -9999...9999 the first
    ///   or last moment of these years results.
    /// - Complexity: O(log *n*) in the number of transitions.
    public func civil(at instant: Int64) -> CivilDateTime {
        // Confined before the addition, which could overflow otherwise.
        let confined = instant.confined(to: CivilDateTime.localMilliseconds)
        return CivilDateTime(localMilliseconds: confined + offsetMilliseconds(at: instant))
    }

    /// Finds the instant at which the wall clock shows a given time.
    ///
    /// A time that the clock skips (spring, or a lost day at the date line) is the first instant
    /// after the gap; a time that it shows twice is the first of the two (edge case E70).
    /// - Returns: Milliseconds since 1970 UTC.
    /// - Complexity: O(log *n*) in the number of transitions.
    public func instant(of civil: CivilDateTime) -> Int64 {
        let local = civil.localMilliseconds
        // No offset reaches a day, so the answer cannot lie earlier than this.
        let earliest = local - Int64(CivilDateTime.millisecondsPerDay)
        var passed = transitions.sortedPrefixCount { $0.instant <= earliest }
        while passed < transitions.count {
            let offset = offsetMilliseconds(afterTransitions: passed)
            // The difference and not the sum: a transition may lie at either end of Int64.
            if local - offset < transitions[passed].instant { break }
            passed += 1
        }
        let instant = local - offsetMilliseconds(afterTransitions: passed)
        return passed == 0 ? instant : max(instant, transitions[passed - 1].instant)
    }

    /// When a day begins.
    func midnight(of date: CivilDate) -> Int64 {
        instant(of: CivilDateTime(date: date, millisecondOfDay: 0))
    }

    private func offsetMilliseconds(afterTransitions passed: Int) -> Int64 {
        let seconds = passed == 0 ? initialOffsetSeconds : transitions[passed - 1].offsetSeconds
        return Int64(seconds) * 1_000
    }
}
