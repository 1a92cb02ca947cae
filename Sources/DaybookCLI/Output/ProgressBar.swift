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

    private static let width = 28

    init(_ title: String) {
        self.title = title
        isActive = Terminal.errors.isInteractive
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
