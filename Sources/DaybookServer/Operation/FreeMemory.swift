import CDaybookServer
public import Foundation

/// What a process keeps of the memory that it has freed.
public enum FreeMemory {
    /// Settings by which an operator has decided already (glibc's manual, "Memory Allocation Tunables").
    private static let ownSettings = [
        "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_",
    ]

    /// Has the C library give large blocks back at once, and keep one arena for each processor and at least two.
    ///
    /// By itself glibc keeps eight arenas for each processor and puts ever larger blocks into them. A server whose
    /// threads write snapshots now and then held 130 MB that way, of which some 30 were in use.
    ///
    /// To be called before the first threads: arenas that there are already stay.
    /// - Returns: Whether it was done: not where the environment has settings of its own, nor without glibc.
    @discardableResult
    public static func bound(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Bool {
        guard ownSettings.allSatisfy({ environment[$0] == nil }) else { return false }
        return daybook_bound_free_memory(
            CInt(clamping: max(2, ProcessInfo.processInfo.activeProcessorCount)))
    }
}
