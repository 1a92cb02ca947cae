#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The wall clock, which is read nowhere else.
public enum SystemClock {
    /// Milliseconds since 1970 UTC.
    @Sendable public static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
