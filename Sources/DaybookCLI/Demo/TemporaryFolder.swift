import Foundation

/// A folder that goes when its owner is done, and when somebody interrupts it.
final class TemporaryFolder {
    let path: String
    private let interruptions: [any DispatchSourceSignal]

    init(_ prefix: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: RandomName.make(prefix))
            .path
        try OutputFile.makeFolder(path)
        self.path = path
        interruptions = [SIGINT, SIGTERM].map { number in
            #if canImport(Darwin)
                // kqueue tells of a signal beside its handler; signalfd takes the handler's place.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.remove(path)
                // And now what the signal is for.
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
            source.resume()
            return source
        }
    }

    deinit {
        interruptions.forEach { $0.cancel() }
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        // Whoever is interrupted may still be making a file in it.
        for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
            // Only ours, and only temporary: what stays behind is swept by the system.
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
