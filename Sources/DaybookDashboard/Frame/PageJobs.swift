import Synchronization

/// Answers that may take long: a page shows its frame at once and how far the answer is, and asks again.
///
/// What was computed is handed out to those who wait for it; the ledger itself keeps what it is made of, so that the
/// same question costs little from then on.
final class PageJobs: Sendable {
    enum State<Value: Sendable>: Sendable {
        case running(done: Int, total: Int)
        case done(Value)
    }

    private enum Entry {
        case running(done: Int, total: Int)
        /// - Parameter until: When it is forgotten.
        case done(Result<any Sendable, any Error>, until: ContinuousClock.Instant)
    }

    /// How long an answer waits for the page that asks again; one about now is old after that.
    private static let keptFor = Duration.seconds(10)
    /// How long others who wait for the same can still have it once one had it: all look within milliseconds.
    private static let sharedFor = Duration.milliseconds(300)
    /// How long a page waits before it shows how far the answer is.
    private static let patience = Duration.milliseconds(300)
    private static let longest = Duration.seconds(3_600)
    /// Those that are remembered at most; finished ones that are not asked for again are forgotten first.
    private static let countMax = 256

    private let entries = Mutex<[String: Entry]>([:])

    /// The answer, or how far it is.
    /// - Parameters:
    ///   - key: Tells one question from another: app, what is asked, and the moment.
    ///   - isPatient: Whether to wait for the answer however long it takes: a file cannot say how far it is.
    ///   - body: Computes the answer; is handed what to call with its progress.
    /// - Throws: What the body threw.
    func state<Value: Sendable>(
        _ key: String, isPatient: Bool = false,
        _ body: @escaping @Sendable (@escaping @Sendable (Int, Int) -> Void) async throws -> Value
    ) async throws -> State<Value> {
        if start(key) {
            // Goes on where the browser does not wait, so that the next one has it.
            Task {
                let result: Result<any Sendable, any Error>
                do {
                    result = .success(
                        try await body { done, total in
                            self.note(key, .running(done: done, total: total))
                        })
                } catch {
                    result = .failure(error)
                }
                self.note(key, .done(result, until: .now + Self.keptFor))
                // A browser that went away leaves nothing behind.
                try? await Task.sleep(for: Self.keptFor + Self.sharedFor)
                self.forget()
            }
        }
        let end = ContinuousClock.now + (isPatient ? Self.longest : Self.patience)
        while true {
            switch take(key) {
            case .done(let result, _)?:
                guard let value = try result.get() as? Value else {
                    return .running(done: 0, total: 0)
                }
                return .done(value)
            case .running(let done, let total)? where ContinuousClock.now >= end:
                return .running(done: done, total: total)
            case nil where ContinuousClock.now >= end || isPatient:
                // Another page took it; the next question begins anew, and finds it kept.
                return .running(done: 0, total: 0)
            default: try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// - Returns: Whether it is the caller's to compute.
    private func start(_ key: String) -> Bool {
        entries.withLock { entries in
            Self.forget(in: &entries)
            guard entries[key] == nil else { return false }
            if entries.count >= Self.countMax {
                entries = entries.filter {
                    if case .running = $0.value { true } else { false }
                }
            }
            entries[key] = .running(done: 0, total: 0)
            return true
        }
    }

    private func note(_ key: String, _ entry: Entry) {
        entries.withLock { $0[key] = entry }
    }

    private func take(_ key: String) -> Entry? {
        entries.withLock { entries in
            let entry = entries[key]
            if case .done(let result, let end)? = entry {
                entries[key] = .done(result, until: min(end, .now + Self.sharedFor))
            }
            return entry
        }
    }

    private func forget() { entries.withLock { Self.forget(in: &$0) } }

    private static func forget(in entries: inout [String: Entry]) {
        entries = entries.filter {
            if case .done(_, let end) = $0.value { end >= .now } else { true }
        }
    }
}
