package import Daybook
import DaybookEvents
import DaybookStore
import Dispatch
import Logging
import Synchronization

/// A ledger that is open as long as the server runs, and opened anew where another file took its file's place.
///
/// The library refuses to go on from a past that the file does not have; what it refuses is told to the client as
/// something to try again, and the next request finds what is there now. Streams go on by places, which say themselves
/// whether they are of the history that the ledger has now.
package final class ServedLedger: Sendable {
    package let app: String
    let path: String
    private let isReadOnly: Bool
    private let open: @Sendable () throws -> Ledger
    private let log: Logger
    private let current: Mutex<State>
    /// Opens files anew: it may take long, and requests are answered by few threads.
    private let reopening = DispatchQueue(label: "daybook.reopen")

    private struct Opened {
        let ledger: Ledger
        /// Of the file that was opened; looked at before, so that one that comes between is noticed.
        let file: FileIdentity?
    }

    private enum State {
        case opened(Opened)
        /// Another file is being opened; requests are told to come again.
        case opening
        /// There was none that could be opened, or it was given up.
        case none
        case closed
    }

    /// How long a stream waits for another file to be opened.
    private static let streamPatience = Duration.seconds(10)

    /// How long the request that finds another file waits for it to be opened.
    private static let patience = DispatchTimeInterval.milliseconds(500)

    /// - Parameter open: Opens the file that is there now.
    /// - Throws: `LedgerError` where it cannot be opened.
    init(
        path: String, isReadOnly: Bool = false, log: Logger,
        open: @escaping @Sendable () throws -> Ledger
    ) throws {
        self.isReadOnly = isReadOnly
        let file = FileIdentity(of: path)
        let ledger = try open()
        app = ledger.app
        self.path = path
        self.open = open
        self.log = log
        current = Mutex(.opened(Opened(ledger: ledger, file: file)))
    }

    /// Asks the ledger something.
    package func asking<Answer>(_ body: (Ledger) throws -> Answer) throws -> Answer {
        let ledger = try ledger()
        do {
            return try body(ledger)
        } catch LedgerError.store(let error) where Self.isOfAnotherFile(error) {
            abandon(ledger, because: error)
            // Nothing was read of the other past; what is there now is asked once.
            return try body(try self.ledger())
        }
    }

    /// Asks while another file may be being opened: a stream goes on by its place once it is, and a request that is
    /// answered at once is told to come again.
    func askingPatiently<Answer>(_ body: (Ledger) throws -> Answer) async throws -> Answer {
        let end = ContinuousClock.now + Self.streamPatience
        while true {
            do {
                return try asking(body)
            } catch LedgerError.store(let error)
                where error.code == .replaced && ContinuousClock.now < end
            {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Has the ledger do something. Where its file was exchanged nothing was written, and the client is told to try
    /// again: by then the key, if it sent one, is looked for in the ledger that is there.
    package func writing<Answer: Sendable>(
        _ body: (Ledger) async throws -> Answer
    ) async throws -> Answer {
        let ledger = try ledger()
        do {
            return try await body(ledger)
        } catch LedgerError.store(let error) where Self.isOfAnotherFile(error) {
            abandon(ledger, because: error)
            throw LedgerError.store(error)
        }
    }

    /// Waits for what was submitted, makes the next start fast, and closes the file.
    func close() throws {
        // What is being opened is opened first.
        reopening.sync {}
        let state = current.withLock { state in
            defer { state = .closed }
            return state
        }
        guard case .opened(let opened) = state else { return }
        if !isReadOnly {
            do {
                try opened.ledger.snapshot(givesWay: false)
            } catch {
                log.warning("\(app): no snapshot was written: \(error)")
            }
        }
        try opened.ledger.close()
    }

    /// The ledger of the file that has the name now: a reader of a file that was renamed away would go on answering
    /// from a past that is given up.
    /// - Throws: `StoreError` of code `replaced` while another file is opened.
    private func ledger() throws -> Ledger {
        // Looked at under the lock, so that what another request has opened by now is not taken for a former file.
        let (before, isThere) = current.withLock { state in
            let before = state
            guard case .opened(let opened) = before else {
                if case .none = before { state = .opening }
                return (before, false)
            }
            let isThere = opened.file == FileIdentity(of: path)
            if !isThere { state = .opening }
            return (before, isThere)
        }
        switch before {
        case .opened(let opened) where isThere: return opened.ledger
        case .opened(let opened): try reopen(opened.ledger)
        case .none: try reopen(nil)
        case .opening, .closed: break
        }
        let now = current.withLock { $0 }
        guard case .opened(let opened) = now else {
            throw LedgerError.store(
                StoreError(.replaced, "\(path) is another file; it is being opened"))
        }
        return opened.ledger
    }

    /// Opens the file that has the name now, and waits for it a while.
    /// - Throws: Why it cannot be opened, where that is known by then.
    private func reopen(_ former: Ledger?) throws {
        if former != nil {
            log.error("\(app): another file has the ledger's name; it is opened instead")
        }
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<(any Error)?>(nil)
        reopening.async { [self] in
            if let former { end(former) }
            do {
                // Looked at before, as at the first time.
                let file = FileIdentity(of: path)
                let ledger = try open()
                guard haveSameBytes(ledger.app, app) else {
                    end(ledger)
                    throw LedgerError.store(
                        StoreError(
                            .replaced, "\(path) holds the ledger of \(ledger.app), not of \(app)"))
                }
                let isWanted = current.withLock { state in
                    guard case .opening = state else { return false }
                    state = .opened(Opened(ledger: ledger, file: file))
                    return true
                }
                // The server stopped meanwhile.
                if !isWanted { end(ledger) }
            } catch {
                log.error("\(app): the file cannot be opened: \(error)")
                current.withLock { if case .opening = $0 { $0 = .none } }
                outcome.withLock { $0 = error }
            }
            done.signal()
        }
        _ = done.wait(timeout: .now() + Self.patience)
        if let error = outcome.withLock({ $0 }) { throw error }
    }

    private func abandon(_ ledger: Ledger, because error: StoreError) {
        let isCurrent = current.withLock { state in
            guard case .opened(let opened) = state, opened.ledger === ledger else { return false }
            state = .none
            return true
        }
        guard isCurrent else { return }
        log.error("\(app): \(error); the file is opened anew")
        end(ledger)
    }

    private func end(_ ledger: Ledger) {
        do {
            try ledger.close()
        } catch {
            log.warning("\(app): the former file was not closed: \(error)")
        }
    }

    private static func isOfAnotherFile(_ error: StoreError) -> Bool {
        [.replaced, .otherHistory, .foreignLog, .closed].contains(error.code)
    }
}
