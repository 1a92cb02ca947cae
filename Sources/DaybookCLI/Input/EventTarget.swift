import Daybook
import DaybookEvents

/// An event that a correction is about, named by position or by source and key.
struct EventTarget {
    var source: String
    var key: String
    var subject: String?
    var environment: Environment

    /// Positions are for people; what is written is the source and the key (rule 20).
    /// - Parameter text: `1042`, `@1042` or `native/story-1`.
    static func find(
        _ text: String, environment: Environment, in ledger: Ledger
    ) throws -> EventTarget {
        let digits = text.hasPrefix("@") ? String(text.dropFirst()) : text
        if let position = Int64(digits) {
            guard position > 0,
                let found = try first(after: position - 1, nil, ledger, { _ in true })
            else {
                throw Failure(
                    .badInput, "unknown_position", "there is no event at position \(digits)")
            }
            return found
        }
        guard let slash = text.firstIndex(of: "/") else {
            throw Failure(
                .badInput, "bad_target",
                "\(text) names no event; write a position such as 1042, or SOURCE/KEY such as native/story-1"
            )
        }
        let source = String(text[..<slash])
        let key = String(text[text.index(after: slash)...])
        let found = try first(after: 0, environment, ledger) {
            $0.source == source && $0.key == key
        }
        guard let found else {
            throw Failure(
                .no, "target_unknown",
                "there is no event with source \(source) and key \(key) in \(environment.name)")
        }
        return found
    }

    private struct Found: Error {}

    private static func first(
        after position: Int64, _ environment: Environment?, _ ledger: Ledger,
        _ isMeant: (EventTarget) -> Bool
    ) throws -> EventTarget? {
        var found: EventTarget?
        do {
            try ledger.export(after: position, environment: environment) { line in
                guard let target = try EventTarget(line), isMeant(target) else { return }
                found = target
                throw Found()
            }
        } catch {
            // The export was only stopped early, because there is nothing more to look for.
            if found == nil { throw error }
        }
        return found
    }

    private init?(_ line: [UInt8]) throws {
        let object = try JSONReader.read(line).object
        guard let source = object?["source"]?.object, let kind = source["kind"]?.text,
            let key = source["key"]?.text,
            let environment = Environment(name: object?["environment"]?.text ?? "")
        else { return nil }
        self.source = kind
        self.key = key
        self.environment = environment
        subject = object?["subject"]?.text
    }
}
