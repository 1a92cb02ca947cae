import Daybook
import Synchronization

/// A bar on the standard error; silent unless that is a terminal.
final class ProgressBar: Sendable {
    private struct Drawing {
        var lastPermille: Int64 = -1
        var isShown = false
    }

    private let title: String
    private let isActive: Bool
    private let drawing = Mutex(Drawing())
    private let start = ContinuousClock.now

    private static let width = 28

    init(_ title: String) {
        self.title = title
        isActive = Terminal.errors.isInteractive
    }

    /// Shows a bar while something is done, and takes it away before what came of it is told.
    static func during<Answer>(
        _ title: String, _ body: (ProgressBar) throws -> Answer
    ) rethrows -> Answer {
        let bar = ProgressBar(title)
        defer { bar.finish() }
        return try body(bar)
    }

    /// - Parameter note: What stands behind the bar.
    func show(_ done: Int64, of total: Int64, note: String) {
        guard isActive else { return }
        let permille = total > 0 ? min(1_000, done * 1_000 / total) : 0
        let isNew = drawing.withLock { drawing in
            defer {
                drawing.lastPermille = permille
                drawing.isShown = true
            }
            return drawing.lastPermille != permille || total <= 0
        }
        guard isNew else { return }
        let filled = Int(permille) * Self.width / 1_000
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.width - filled)
        draw("\(title) \(bar) \(note)")
    }

    /// A bar over work of which each event is a share, with the rate and the time that is left.
    func show(_ done: Int64, of total: Int64, events: Int64) {
        guard isActive, done > 0, total > 0 else { return }
        let elapsed = start.duration(to: .now)
        let milliseconds = max(
            1,
            elapsed.components.seconds * 1_000
                + elapsed.components.attoseconds / 1_000_000_000_000_000)
        // Products of counts and milliseconds: far from the bounds of a Double's exact integers, and shown in three
        // digits.
        let share = Double(done) / Double(total)
        let rate = Int64(Double(events) * share * 1_000 / Double(milliseconds))
        let left = Int64(Double(milliseconds) * (1 - share) / share)
        show(
            done, of: total,
            note: "\(Words.grouped(events)) events, \(Words.grouped(rate))/s, "
                + "\(Words.duration(left)) left")
    }

    /// Shows how many of some things are done.
    func show(_ done: Int, of total: Int) {
        show(
            Int64(done), of: Int64(total),
            note: "\(Words.grouped(done)) of \(Words.grouped(total))")
    }

    /// Shows how many customers are done.
    func showCustomers(_ done: Int, _ total: Int) {
        show(Int64(done), of: Int64(total), note: "\(done) of \(total) customers")
    }

    /// Takes the place of the bar before.
    private func draw(_ line: HumanText) {
        // A bar that cannot be seen is no reason to stop the work.
        try? Terminal.errors.write("\r\u{1B}[K" + line)
    }

    /// Takes the bar away.
    func finish() {
        let isShown = drawing.withLock { drawing in
            defer { drawing.isShown = false }
            return drawing.isShown
        }
        if isShown { draw("") }
    }
}
