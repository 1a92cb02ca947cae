import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a ledger knows of everybody, as 256 sums: two ledgers differ only about those whose names hash into a bucket of
/// which the sums differ.
///
/// A sum is that of the digests of the bucket's units (rule 23) and of what was said about who is whom: aliases under
/// the alias, transfers of everything under the giver. The same for any order, split or number of workers. Catalogs are
/// not in it.
struct BucketSums: Sendable, Equatable {
    static let count = 256

    private(set) var sums: [StateDigest]
    /// Of the units alone.
    private(set) var units = UnitSum()

    init() { sums = [StateDigest](repeating: StateDigest(), count: Self.count) }

    /// - Parameter sums: As many as there are buckets, as they were written down.
    init(sums: [StateDigest]) { self.sums = sums }

    static func == (left: BucketSums, right: BucketSums) -> Bool { left.sums == right.sums }

    /// FNV-1a (Fowler, Noll, Vo) of the name, mixed once more: without a key, since two ledgers are compared by it.
    static func bucket(of name: StreamName) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (count - 1)
    }

    /// The sums of everything that a state knows, by a pass over all its units.
    static func folding(
        _ state: LedgerState, progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> BucketSums {
        let parts = try UnitPass(state, workers: UnitPass.workersDefault).run(
            BucketSums(), progress: progress
        ) { $0.add($1, $2, state) }
        var total = BucketSums()
        for part in parts {
            for bucket in 0..<count { total.sums[bucket].add(part.sums[bucket]) }
            total.units.add(part.units)
        }
        for statement in state.identityStatements {
            total.sums[bucket(of: statement.stream)].add(text: statement.text)
        }
        return total
    }

    private mutating func add(_ unit: UInt32, _ folded: borrowing UnitState, _ state: LedgerState) {
        guard folded.isInDigest else { return }
        let name = state.unitName(unit)
        var digest = StateDigest()
        digest.add(unit: name, folded, names: state.names)
        sums[Self.bucket(of: name)].add(digest)
        units.digest.add(digest)
        units.unitCount += 1
    }

    /// The buckets of which the sums differ, ascending.
    func differing(from other: BucketSums) -> [Int] {
        (0..<Self.count).filter { sums[$0] != other.sums[$0] }
    }
}

/// An alias, an un-alias or a transfer of everything that no correction voids.
struct IdentityStatement: Hashable {
    /// The alias, or the giver.
    var stream: StreamName
    /// The other one; empty: everybody.
    var other: String
    /// All that it says, and its place in canonical order.
    var text: String
}

extension LedgerState {
    /// Everything that was said about who is whom, in no order.
    var identityStatements: [IdentityStatement] {
        var found: [IdentityStatement] = []
        func add(
            _ key: CustomerKey, _ other: NameID, _ word: String, _ order: OrderKey,
            _ target: EventKey
        ) {
            guard !corrections.isVoid(target, cut: Int64.max) else { return }
            let stream = StreamName(key.environment, .customer, names[key.name])
            let name = other == 0 ? "" : names[other]
            let source = order.source == 0 ? "" : names[order.source]
            found.append(
                IdentityStatement(
                    stream: stream, other: name,
                    text:
                        "\(word)|\(stream)|\(name)|\(order.occurredAt)|\(order.sequence)|\(source)|\(order.key.high)|\(order.key.low)"
                ))
        }
        identity.forEach(
            { key, link in
                guard link.isAliasSide else { return }
                add(key, link.other, link.isOn ? "alias" : "unalias", link.order, link.target)
            },
            { key, handover in
                guard key.name == handover.from else { return }
                add(key, handover.to, "transfer", handover.order, handover.target)
            })
        return found
    }

    /// The digest of every unit of some buckets, by name.
    func digests(ofUnitsIn buckets: Set<Int>) throws -> [StreamName: (
        unit: UInt32, digest: StateDigest
    )] {
        let folder = UnitFolder(self)
        var found: [StreamName: (unit: UInt32, digest: StateDigest)] = [:]
        for unit in unitIDs {
            let name = unitName(unit)
            guard buckets.contains(BucketSums.bucket(of: name)) else { continue }
            let record = stream(unit)
            let folded = try folder.fold(
                kind: record.kind, environment: record.environment,
                heads: streams(of: unit).map { headOf($0).position })
            guard folded.isInDigest else { continue }
            var digest = StateDigest()
            digest.add(unit: name, folded, names: names)
            found[name] = (unit, digest)
        }
        return found
    }
}
