import Daybook
import DaybookEvents
import DaybookStore
import Foundation
import Logging
import Synchronization

/// A ledger that is open as long as the server runs, and opened anew where another file took its file's place.
///
/// The library refuses to go on from a past that the file does not have; what it refuses is told to the client as
/// something to try again, and the next request finds what is there now. Streams go on by places, which say themselves
/// whether they are of the history that the ledger has now.
final class ServedLedger: Sendable {
    let app: String
    let path: String
    private let open: @Sendable () throws -> Ledger
    private let log: Logger
    private let current: Mutex<Opened?>

    private struct Opened {
        let ledger: Ledger
        /// Of the file that was opened; looked at before, so that one that comes between is noticed.
        let file: FileIdentity?
    }

    /// - Parameter open: Opens the file that is there now.
    /// - Throws: `LedgerError` where it cannot be opened.
    init(path: String, log: Logger, open: @escaping @Sendable () throws -> Ledger) throws {
        let file = FileIdentity(of: path)
        let ledger = try open()
        app = ledger.app
        self.path = path
        self.open = open
        self.log = log
        current = Mutex(Opened(ledger: ledger, file: file))
    }

    /// Asks the ledger something.
    func asking<Answer>(_ body: (Ledger) throws -> Answer) throws -> Answer {
        let ledger = try ledger()
        do {
            return try body(ledger)
        } catch LedgerError.store(let error) where Self.isOfAnotherFile(error) {
            abandon(ledger, because: error)
            // Nothing was read of the other past; what is there now is asked once.
            return try body(try self.ledger())
        }
    }

    /// Has the ledger do something. Where its file was exchanged nothing was written, and the client is told to try
    /// again: by then the key, if it sent one, is looked for in the ledger that is there.
    func writing<Answer: Sendable>(
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
        guard let ledger = current.withLock({ $0.take() })?.ledger else { return }
        do {
            try ledger.snapshot()
        } catch {
            log.warning("\(app): no snapshot was written: \(error)")
        }
        try ledger.close()
    }

    /// The ledger of the file that has the name now: a reader of a file that was renamed away would go on answering
    /// from a past that is given up.
    private func ledger() throws -> Ledger {
        let (ledger, former) = try current.withLock { current in
            let file = FileIdentity(of: path)
            if let opened = current, opened.file == file { return (opened.ledger, nil as Ledger?) }
            let former = current?.ledger
            current = nil
            let ledger = try open()
            guard haveSameBytes(ledger.app, app) else {
                throw LedgerError.store(
                    StoreError(
                        .replaced, "\(path) holds the ledger of \(ledger.app), not of \(app)"))
            }
            current = Opened(ledger: ledger, file: file)
            return (ledger, former)
        }
        if let former {
            log.error("\(app): another file has the ledger's name; it is opened instead")
            end(former)
        }
        return ledger
    }

    private func abandon(_ ledger: Ledger, because error: StoreError) {
        let isCurrent = current.withLock { current in
            guard current?.ledger === ledger else { return false }
            current = nil
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
