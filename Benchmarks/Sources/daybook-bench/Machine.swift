import Foundation

/// The machine that the numbers come from, without a name that would tell its owner.
enum Machine {
    static var processor: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(value("model name", in: "/proc/cpuinfo") ?? "unknown processor"), \(cores) cores"
    }

    static var memory: String {
        let bytes = Double(ProcessInfo.processInfo.physicalMemory)
        return Figure.decimal(bytes / 1_073_741_824, 1) + " GiB"
    }

    static var system: String {
        value("PRETTY_NAME", in: "/etc/os-release", separator: "=")?
            .trimmingCharacters(in: CharacterSet(charactersIn: "\"")) ?? "unknown system"
    }

    static var date: String {
        Date.now.formatted(.iso8601.year().month().day())
    }

    /// The value of a line in one of the kernel's files; `nil` where there is no such file.
    static func value(
        _ name: String, in path: String, separator: Character = ":"
    ) -> String? {
        // Other systems have no such file; the caller says "unknown".
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let mark = line.firstIndex(of: separator) else { continue }
            return line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}
