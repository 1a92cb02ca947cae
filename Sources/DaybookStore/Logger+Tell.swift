import DaybookEvents
package import Logging

extension Logger {
    /// Logs a line of text; all of Daybook logs through this function.
    ///
    /// Paths and what a ledger holds may contain control characters, which no terminal should obey.
    package func tell(_ level: Logger.Level, _ text: String) {
        log(level: level, "\(ShownText.escaped(text))")
    }
}
