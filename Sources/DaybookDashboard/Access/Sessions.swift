import Synchronization

/// Who is signed in to this process: a browser shows a token that only it has, in a cookie.
///
/// Sessions are kept in memory and end with the process. Of a token its digest is kept.
final class Sessions: Sendable {
    struct Session: Sendable {
        /// By app: the id of the key that was shown.
        var keys: [String: String]
        /// Whether it was opened by the operator of this machine, who sees every app and changes none.
        var isLocal: Bool
        /// What each form of its pages must bring along.
        let formToken: String
        let startedAt: Int64
        var usedAt: Int64
    }

    /// How long a session may last, and how long it may be unused, in milliseconds.
    static let lifeMax: Int64 = 8 * 3_600_000
    static let idleMax: Int64 = 3_600_000
    /// Those that are remembered at most; beyond it the one that was used least recently ends.
    static let countMax = 10_000

    private let sessions = Mutex<[[UInt8]: Session]>([:])

    /// Begins a session.
    /// - Returns: The text of its cookie.
    func begin(keys: [String: String], isLocal: Bool, now: Int64) -> String {
        let token = RandomText.make()
        let session = Session(
            keys: keys, isLocal: isLocal, formToken: RandomText.make(), startedAt: now, usedAt: now)
        sessions.withLock { sessions in
            sessions = sessions.filter { Self.isAlive($0.value, now) }
            if sessions.count >= Self.countMax,
                let oldest = sessions.min(by: { $0.value.usedAt < $1.value.usedAt })
            {
                sessions[oldest.key] = nil
            }
            sessions[RandomText.digest(token)] = session
        }
        return token
    }

    /// The session of a cookie; `nil`: there is none, or it is over.
    /// - Parameter isUse: Whether it is used by that, and lasts longer.
    func session(_ token: String, now: Int64, isUse: Bool = true) -> Session? {
        let digest = RandomText.digest(token)
        return sessions.withLock { sessions in
            guard var session = sessions[digest] else { return nil }
            guard Self.isAlive(session, now) else {
                sessions[digest] = nil
                return nil
            }
            if isUse { session.usedAt = max(session.usedAt, now) }
            sessions[digest] = session
            return session
        }
    }

    func end(_ token: String) {
        let digest = RandomText.digest(token)
        sessions.withLock { $0[digest] = nil }
    }

    /// A clock that was set back ends no session early and keeps none for ever.
    private static func isAlive(_ session: Session, _ now: Int64) -> Bool {
        abs(now - session.startedAt) < lifeMax && now - session.usedAt < idleMax
    }
}
