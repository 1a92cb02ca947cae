import ArgumentParser
import Daybook

/// The `daybook` command itself: errors are printed in its name and captures name its version, so it stands below all
/// that uses it.
///
/// Its commands are registered above everything, in `Daybook.swift`.
struct DaybookCommand: AsyncParsableCommand {
    /// The build's own name, also in what it captures.
    static let version = DaybookVersion.current
}
