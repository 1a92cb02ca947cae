import Daybook

/// How far long work is.
enum Progress {
    static func model(_ done: Int, _ total: Int) -> Model {
        [
            "done": Words.grouped(Int64(done)), "total": Words.grouped(Int64(total)),
            "percent": total == 0 ? 0 : done * 100 / total,
        ]
    }
}
