import Foundation

extension Samples {
    /// Folds the files of a folder by as many processes at once, one for each; of none: nothing, by one.
    func foldCases() throws -> Measurement {
        let (program, count, questions) = (words[0], numbers[0], Array(words.dropFirst()))
        let files = try FileManager.default.contentsOfDirectory(atPath: path).filter {
            $0.hasPrefix("cases-")
        }.sorted().map { "\(path)/\($0)" }
        guard count == 0 || files.count == count else {
            throw BenchmarkError("\(path) has \(files.count) files for \(count) processes")
        }
        let start = ContinuousClock.now
        var events = 0.0
        let running = try (count == 0 ? ["/dev/null"] : files).map { file in
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(filePath: program)
            process.arguments = ["fold", "--context", "\(path)/context.ndjson"] + questions
            process.standardInput = FileHandle(forReadingAtPath: file)
            process.standardOutput = output
            try process.run()
            return (process, output)
        }
        for (process, output) in running {
            let line = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw BenchmarkError("daybook fold ended with \(process.terminationStatus)")
            }
            let json = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            let part = json?["part"] as? [String: Any]
            events += (part?["events"] as? NSNumber)?.doubleValue ?? 0
        }
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = events
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        measurement["peak_bytes"] = Double(usage.ru_maxrss) * 1_024
        return measurement
    }
}
