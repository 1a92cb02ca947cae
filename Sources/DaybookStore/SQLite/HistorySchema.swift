// What schema versions 2 and 3 add (what is hashed stands in `HistoryCursor`):
//
//   meta             also `secret`, 64 hexadecimal digits
//   history_blocks   the leaf of every complete block of 256 positions, numbered from 1
//   history_marks    every 16,384 positions: the tree up to there (32 bytes for each of its complete subtrees, the
//                    greatest first), and how many names and streams the ledger had when the commit with that position
//                    ended, with the last links of their chains; `hash` is the hash of the history with all of these
//   history_head     one row, written anew by each commit: the same for the last position, the epoch, and what tells
//                    to which state of the file the log belongs:
//     log_salt       the two salts of the log's header (its bytes 16 to 23) when the commit began, big-endian; 0: there
//                    was no log
//     base_*         where the main file stood, at least, when the log of that salt began
//     before_*       where the ledger stood before this commit
//     lineage        which file this is, among those that hold the same history: a random number (schema 3)
//
// A log whose header has `log_salt` began upon `base_position`; any other began with this very commit, upon
// `before_position`. The main file's own `history_head` must name a place at or after that one, in this very history:
// else the log belongs to another state of the file and SQLite would mix the two. And it must have the lineage that
// both have together: the log holds pages, not events, and a backup of the very same history has others in their
// places.

extension LedgerSchema {
    static let lineageColumn =
        "ALTER TABLE history_head ADD COLUMN lineage INTEGER NOT NULL DEFAULT 0"

    static let historyTables = [
        "CREATE TABLE history_blocks(id INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT",
        """
        CREATE TABLE history_marks(position INTEGER PRIMARY KEY, tree BLOB NOT NULL, \
        names INTEGER NOT NULL, name_hash BLOB NOT NULL, streams INTEGER NOT NULL, \
        stream_hash BLOB NOT NULL, hash BLOB NOT NULL) STRICT
        """,
        """
        CREATE TABLE history_head(id INTEGER PRIMARY KEY CHECK (id = 1), \
        position INTEGER NOT NULL, epoch INTEGER NOT NULL, names INTEGER NOT NULL, \
        name_hash BLOB NOT NULL, streams INTEGER NOT NULL, stream_hash BLOB NOT NULL, \
        hash BLOB NOT NULL, log_salt INTEGER NOT NULL, base_position INTEGER NOT NULL, \
        base_hash BLOB NOT NULL, before_position INTEGER NOT NULL, \
        before_hash BLOB NOT NULL) STRICT
        """,
    ]

    static let historyTriggers =
        ["history_blocks", "history_marks"].flatMap(immutable)
        + [
            follows("history_blocks", "id"),
            """
            CREATE TRIGGER history_marks_follows BEFORE INSERT ON history_marks \
            WHEN NEW.position <= ifnull((SELECT max(position) FROM history_marks), 0) \
            BEGIN SELECT RAISE(ABORT, 'history_marks is append-only: \
            the next position is above the last'); END
            """,
            """
            CREATE TRIGGER history_head_no_delete BEFORE DELETE ON history_head \
            BEGIN SELECT RAISE(ABORT, 'history_head has one row'); END
            """,
        ]
}
