import Synchronization

/// How many requests each caller may send: a bucket of requests that fills at a steady rate.
///
/// A key of a backend has a bucket of its own; a client key is in every copy of an app, so there each customer has one,
/// and one device cannot use up what others need.
final class RateLimit: Sendable {
    /// How many requests in how many seconds.
    struct Quota: Sendable, Equatable {
        var requests: Int64
        var seconds: Int64
    }

    /// What is left to a caller.
    struct State: Equatable {
        var quota: Quota
        /// Requests that may still be sent at once.
        var remaining: Int64
        /// Until the bucket is full again, or where nothing is left, until there is one request more; rounded up.
        var seconds: Int64
    }

    /// Callers that are remembered at most; those with full buckets are forgotten first.
    static let callersMax = 100_000

    private struct Bucket {
        /// Microseconds of filling that are missing to a full bucket, as of `at`.
        var debt: Int64
        /// Microseconds.
        var at: Int64
    }

    private static let epoch = ContinuousClock.now

    /// Microseconds since the program asked first.
    static func now() -> Int64 { Int64(epoch.duration(to: .now) / .microseconds(1)) }

    /// For a key that acts for any customer; `nil`: without bound.
    private let keyQuota: Quota?
    /// For one customer of client keys; `nil`: without bound.
    private let customerQuota: Quota?
    private let buckets = Mutex<[String: Bucket]>([:])

    init(keyQuota: Quota?, customerQuota: Quota?) {
        self.keyQuota = keyQuota
        self.customerQuota = customerQuota
    }

    /// Takes requests out of the caller's bucket.
    /// - Parameters:
    ///   - count: 0 or less: nothing is taken.
    ///   - now: Microseconds of a clock that only goes forward.
    /// - Returns: What is left; `nil` for callers without a bound.
    /// - Throws: `Problem` with 429 where not enough was left; nothing is taken then.
    func take(
        _ caller: Caller, count: Int64 = 1, now: Int64 = RateLimit.now()
    ) throws -> State? {
        guard let key = caller.key, count > 0 else { return nil }
        guard let quota = caller.customer == nil ? keyQuota : customerQuota else { return nil }
        try Problem.require(
            count <= quota.requests, "too_many_events",
            "this caller may send \(quota.requests) requests in \(quota.seconds) s, and each event counts as one"
        )
        let name = caller.customer.map { "\(key.app)/\($0)" } ?? key.id
        let state = buckets.withLock { buckets in
            if buckets.count >= Self.callersMax, buckets[name] == nil {
                Self.forgetFull(&buckets, now)
            }
            return Self.take(
                &buckets[name, default: Bucket(debt: 0, at: now)], quota, count, now)
        }
        guard state.remaining >= 0 else {
            var problem = Problem.tooMany(
                .tooManyRequests, "too_many_requests",
                "\(quota.requests) requests in \(quota.seconds) s are what this caller may send",
                after: state.seconds)
            problem.headers.append(contentsOf: state.refused.headers)
            throw problem
        }
        return state
    }

    /// - Returns: With −1 remaining where there was none to take.
    private static func take(
        _ bucket: inout Bucket, _ quota: Quota, _ count: Int64, _ now: Int64
    ) -> State {
        let full = quota.seconds * 1_000_000
        let one = max(full / quota.requests, 1)
        let cost = count * one
        let debt = max(bucket.debt - max(now - bucket.at, 0), 0)
        guard debt + cost <= full else {
            bucket = Bucket(debt: debt, at: now)
            return State(quota: quota, remaining: -1, seconds: seconds(debt + cost - full))
        }
        bucket = Bucket(debt: debt + cost, at: now)
        return State(
            quota: quota, remaining: (full - debt - cost) / one, seconds: seconds(debt + cost))
    }

    private static func seconds(_ microseconds: Int64) -> Int64 {
        (microseconds + 999_999) / 1_000_000
    }

    /// Those who have not asked for so long that nothing tells them from new ones; where all are busy, everyone: a
    /// bound that is forgotten once is better than memory without one.
    private static func forgetFull(_ buckets: inout [String: Bucket], _ now: Int64) {
        buckets = buckets.filter { $0.value.debt > now - $0.value.at }
        if buckets.count >= callersMax { buckets = [:] }
    }
}
