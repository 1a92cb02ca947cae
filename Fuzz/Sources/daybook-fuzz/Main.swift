import CFuzzer
import Foundation

/// Feeds Daybook's readers with what libFuzzer invents. `Fuzz/run` builds and calls this.
///
/// ```
/// daybook-fuzz TARGET seeds FOLDER         a valid input of each form, to begin with
/// daybook-fuzz TARGET FOLDER [-OPTION …]   libFuzzer's options; an input that breaks a rule ends it
/// ```
@main
struct Main {
    /// What the C callback cannot carry with it; set once, before the driver starts its single thread.
    nonisolated(unsafe) static var target: (any FuzzTarget)?

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let target = targets[arguments[1]] else {
            let names = targets.keys.sorted().joined(separator: "|")
            FileHandle.standardError.write(
                Data("usage: daybook-fuzz \(names) seeds FOLDER | FOLDER [-OPTION …]\n".utf8))
            exit(2)
        }
        let chosen = try target()
        self.target = chosen
        if arguments[2] == "seeds", arguments.count == 4 {
            for (index, seed) in try chosen.seeds().enumerated() {
                try Data(seed).write(to: URL(filePath: "\(arguments[3])/seed-\(index)"))
            }
            return
        }
        var words = ([arguments[0]] + arguments.dropFirst(2)).map { strdup($0) }
        var count = CInt(words.count)
        words.append(nil)
        let status = words.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return LLVMFuzzerRunDriver(&count, &start) { bytes, count in
                Main.target?.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        }
        exit(status)
    }

    private static var targets: [String: () throws -> any FuzzTarget] {
        [
            "jws": { JWSTarget(authority: try Authority()) },
            "notification": { NotificationTarget(authority: try Authority()) },
            "storekit": { StoreKitTarget() }, "revenuecat": { RevenueCatTarget() },
            "subscriber": { SubscriberTarget() },
        ]
    }
}

/// A reader, and what holds for every input.
protocol FuzzTarget {
    /// Ends the process where a rule is broken; a refusal is an answer.
    func take(_ bytes: [UInt8])

    /// Inputs that are accepted.
    func seeds() throws -> [[UInt8]]
}
