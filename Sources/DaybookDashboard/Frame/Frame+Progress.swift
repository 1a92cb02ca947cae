import Daybook

extension Frame.Page {
    /// Says how far long work is, and looks again in a second.
    mutating func showProgress(_ done: Int, _ total: Int) {
        model["refresh"] = "1"
        model["running"] =
            [
                "done": Words.grouped(done), "total": Words.grouped(total),
                "percent": total == 0 ? 0 : done * 100 / total,
            ] as Model
    }
}
