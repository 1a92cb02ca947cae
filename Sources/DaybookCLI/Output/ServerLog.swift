import DaybookDomain
import DaybookEvents
import Foundation
import Logging

/// Writes the log of a server to the standard error: a line for people, or a line of JSON for machines.
struct ServerLog: LogHandler {
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()
    let isJSON: Bool

    static func logger(isJSON: Bool) -> Logger {
        Logger(label: "daybook") { _ in ServerLog(isJSON: isJSON) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all =
            metadata.isEmpty
            ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { _, new in new }
        let fields = all.map { ($0.key, Self.text($0.value)) }.sorted { $0.0 < $1.0 }
        let time = RFC3339.format(Int64(Date().timeIntervalSince1970 * 1_000))
        let message = "\(event.message)"
        let text =
            isJSON
            ? json(time, event.level, message, fields) : plain(time, event.level, message, fields)
        // One write for a line, so that lines of several threads do not mix; a log that cannot be written is not told.
        var line = text + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func text(_ value: Logger.MetadataValue) -> String {
        if case .string(let text) = value { text } else { "\(value)" }
    }

    private func json(
        _ time: String, _ level: Logger.Level, _ message: String, _ fields: [(String, String)]
    ) -> String {
        var object: JSONObject = [
            "time": .string(time), "level": .string(level.rawValue), "message": .string(message),
        ]
        for (name, value) in fields where object[name] == nil { object[name] = .string(value) }
        return JSONValue.object(object).canonicalText
    }

    private func plain(
        _ time: String, _ level: Logger.Level, _ message: String, _ fields: [(String, String)]
    ) -> String {
        let words = fields.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
        let line = "\(time) \(level.rawValue) \(message)" + (words.isEmpty ? "" : " \(words)")
        return ShownText.escaped(line)
    }
}
