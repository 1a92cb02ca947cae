import CDaybook

/// What holds for SQLite in the whole process.
package enum SQLiteUse {
    /// Once. Where another part of the program used SQLite before, it stays as it is.
    private static let setting: Void = {
        // Nothing here asks how much memory SQLite takes, and counting it costs a lock for each allocation.
        _ = daybook_count_no_memory_of_sqlite()
    }()

    /// To be called before the first connection is opened.
    package static func prepare() { setting }
}
