import Foundation

/// How many files and connections this process may have open at once.
public enum OpenFileLimit {
    /// Raises it as far as the system lets, where it is lower: shells begin with 1,024.
    /// - Returns: What it is then; `nil` where the system does not tell.
    public static func raise(to count: Int) -> Int? {
        #if canImport(Glibc)
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let kind = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return nil }
        let wanted = min(rlim_t(count), limit.rlim_max)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            guard setrlimit(kind, &limit) == 0 else { return nil }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
