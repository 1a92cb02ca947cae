import Daybook

/// An event that a correction is about, named by position or by source and key.
struct EventTarget {
    var source: String
    var key: String
    var subject: String?
    var environment: Environment
    var type: EventType

    /// Positions are for people; what is recorded is the source and the key (rule 20).
    /// - Parameter text: `1042`, `@1042` or `native/story-1`.
    static func find(
        _ text: String, environment: Environment, in ledger: Ledger
    ) throws -> EventTarget {
        let digits = text.hasPrefix("@") ? String(text.dropFirst()) : text
        if let position = Int64(digits) {
            guard let event = try ledger.event(at: position) else {
                throw unknown(
                    "at position \(position); the last one is at \(try ledger.head().position)")
            }
            return EventTarget(event)
        }
        guard let slash = text.firstIndex(of: "/") else {
            throw Failure(
                .badInput, "bad_target",
                "\(text) names no event; write a position such as 1042, or SOURCE/KEY such as native/story-1"
            )
        }
        let source = String(text[..<slash])
        let key = String(text[text.index(after: slash)...])
        let event = try ledger.event(source: source, key: key, environment: environment)
        guard let event else {
            throw unknown("with source \(source) and key \(key) in \(environment.name)")
        }
        return EventTarget(event)
    }

    private static func unknown(_ which: String) -> Failure {
        Failure(.no, "target_unknown", "there is no event \(which)")
    }

    private init(_ event: RecordedEvent) {
        source = event.draft.source.kind
        key = event.draft.source.key ?? ""
        subject = event.draft.subject
        environment = event.draft.environment
        type = event.type
    }
}
