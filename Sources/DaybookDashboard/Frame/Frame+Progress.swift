import Daybook

extension Frame.Page {
    /// What long work came to; `nil` while it runs: then the page says how far it is, and looks again in a second.
    mutating func result<Value: Sendable>(of state: PageJobs.State<Value>) -> Value? {
        switch state {
        case .done(let value): return value
        case .running(let done, let total):
            model["refresh"] = "1"
            model["running"] =
                [
                    "done": Words.grouped(done), "total": Words.grouped(total),
                    "percent": total == 0 ? 0 : done * 100 / total,
                ] as Model
            return nil
        }
    }
}
