import DaybookEvents

/// Which uses were taken back (rule 12). A reversal takes back the uses of one meter.
///
/// It names a use by its key or its ref, reserved units by the reservation. Two meters may have a use of one ref, so it
/// says of which meter; one that does not means the meter that `UsageTargets` finds first.
struct Reversals {
    private let reversals: [UsageState.Reversal]
    private let targets: UsageTargets

    init(_ usage: UsageState) {
        reversals = usage.reversals
        targets =
            usage.reversals.isEmpty
            ? UsageTargets()
            : UsageTargets(
                usage, Set(usage.reversals.lazy.filter { $0.meter == 0 }.map(\.target)))
    }

    /// Keys, refs and reservations that do not count on a meter.
    /// - Parameter ids: The meter's name and aliases.
    func targets(of ids: [NameID]) -> Set<Reference> {
        var found: Set<Reference> = []
        for reversal in reversals {
            let meter =
                reversal.meter != 0 ? reversal.meter : targets.meters(of: reversal.target).first
            if let meter, ids.contains(meter) { found.insert(reversal.target) }
        }
        return found
    }
}

/// The meters that have a use under some names: those with that key, else with that ref, else with a reservation of
/// that name, with one of that key, and with one that was committed under that key, each in canonical order.
///
/// An id reserves once per customer, whatever meter a second reservation of it names (rule 12).
/// - Complexity: O(*u*) in the uses to make.
struct UsageTargets {
    private var byKey: [Reference: [NameID]] = [:]
    private var byReference: [Reference: [NameID]] = [:]
    private var byReservation: [Reference: [NameID]] = [:]

    /// Of no names.
    init() {}

    init(_ usage: UsageState, _ names: Set<Reference>) {
        guard !names.isEmpty else { return }
        for entry in usage.entries {
            if names.contains(entry.key) { byKey[entry.key, default: []].append(entry.meter) }
            if names.contains(entry.reference) {
                byReference[entry.reference, default: []].append(entry.meter)
            }
        }
        var meters: [Reference: NameID] = [:]
        var byOwnKey: [(key: Reference, meter: NameID)] = []
        for reservation in usage.reservations where meters[reservation.id] == nil {
            meters[reservation.id] = reservation.meter
            if names.contains(reservation.id) {
                byReservation[reservation.id] = [reservation.meter]
            }
            if names.contains(reservation.key) {
                byOwnKey.append((reservation.key, reservation.meter))
            }
        }
        for outcome in usage.outcomes where outcome.isCommit && names.contains(outcome.key) {
            if let meter = meters[outcome.id] { byOwnKey.append((outcome.key, meter)) }
        }
        for (key, meter) in byOwnKey { byReservation[key, default: []].append(meter) }
    }

    /// Empty where nothing has the name; a meter stands there once for each of its uses.
    func meters(of name: Reference) -> [NameID] {
        byKey[name] ?? byReference[name] ?? byReservation[name] ?? []
    }
}

extension UsageState {
    /// When a meter was used: each use, and each reservation that was committed in time.
    func useTimes(of ids: [NameID]) -> [Int64] {
        var times: [Int64] = []
        times.reserveCapacity(entries.count)
        for entry in entries where ids.contains(entry.meter) { times.append(entry.at) }
        if reservations.isEmpty { return times }
        let outcomes = firstOutcomes
        for reservation in reservations where ids.contains(reservation.meter) {
            guard let outcome = outcomes[reservation.id], outcome.isCommit,
                outcome.at < reservation.expiresAt
            else { continue }
            times.append(reservation.at)
        }
        return times
    }

    /// The first outcome of each reservation, in order of time: where it came too late, so did all later ones.
    var firstOutcomes: [Reference: ReservationOutcome] {
        Dictionary(outcomes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// When a meter's periods were last marked as begun, by a scheduled reset.
    func lastScheduledReset(of ids: [NameID]) -> Int64? {
        resets.lazy.filter { $0.isScheduled && ids.contains($0.meter) }.map(\.effectiveAt).max()
    }
}
