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
        let names = all.keys.sorted()
        let time = RFC3339.format(Int64(Date().timeIntervalSince1970 * 1_000))
        let message = "\(event.message)"
        let text =
            isJSON
            ? json(time, event.level, message, names, all)
            : plain(time, event.level, message, names, all)
        // One write for a line, so that lines of several threads do not mix; a log that cannot be written is not told.
        var line = text + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func text(_ value: Logger.MetadataValue) -> String {
        if case .string(let text) = value { text } else { "\(value)" }
    }

    private func json(
        _ time: String, _ level: Logger.Level, _ message: String, _ names: [String],
        _ values: Logger.Metadata
    ) -> String {
        var object: JSONObject = [
            "time": .string(time), "level": .string(level.rawValue), "message": .string(message),
        ]
        for name in names where object[name] == nil {
            object[name] = .string(values[name].map(Self.text) ?? "")
        }
        return JSONValue.object(object).canonicalText
    }

    private func plain(
        _ time: String, _ level: Logger.Level, _ message: String, _ names: [String],
        _ values: Logger.Metadata
    ) -> String {
        var line = time
        line.reserveCapacity(256)
        line += " "
        line += level.rawValue
        line += " "
        line += message
        for name in names {
            line += " "
            line += name
            line += "="
            line += values[name].map(Self.text) ?? ""
        }
        return ShownText.escaped(line)
    }
}
