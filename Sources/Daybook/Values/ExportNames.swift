import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Under which names an export writes events.
public enum ExportNames: String, Sendable, CaseIterable {
    /// As they are recorded: complete, and what an import takes.
    case daybook
    /// As the app's own documents call them, where they do; with lines that are derived from store facts (NZ-13).
    case app
}
