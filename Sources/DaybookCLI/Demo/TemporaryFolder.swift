import Foundation

/// A folder that is removed when its owner is done, and when the process is interrupted.
final class TemporaryFolder {
    let path: String
    private let interruptions: [any DispatchSourceSignal]

    /// - Parameter endsProcess: Whether an interruption removes it and ends the process; else its owner takes care of
    ///   both.
    init(_ prefix: String, endsProcess: Bool = true) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: RandomName.make(prefix))
            .path
        self.path = path
        let registered = DispatchSemaphore(value: 0)
        let signals = endsProcess ? [SIGINT, SIGTERM] : []
        interruptions = signals.map { number in
            #if canImport(Darwin)
                // kqueue reports a signal in addition to its handler; signalfd takes the handler's place.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.remove(path)
                // And now what the signal is for.
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            return source
        }
        // Only when no interruption can leave it behind any more.
        for _ in interruptions { registered.wait() }
        try OutputFile.makeFolder(path)
    }

    deinit {
        interruptions.forEach { $0.cancel() }
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        // The interrupted work may still be making files in it, and no longer finds it under another name.
        let doomed = path + "-removed"
        // Only ours, and only temporary: what cannot be removed is swept by the system.
        try? FileManager.default.moveItem(atPath: path, toPath: doomed)
        try? FileManager.default.removeItem(atPath: doomed)
    }
}
