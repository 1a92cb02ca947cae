import DaybookDomain
import DaybookEvents

/// The customers of a ledger in the order of their ids' bytes, by environment: those that a snapshot has, and those
/// that were named since.
struct CustomerOrder: Sendable {
    private let base: MappedState?
    /// As they were named, perhaps several times, and perhaps by the snapshot, too.
    private var arrived = PagedArray<CustomerKey>()
    /// Ascending, each once, without those of the snapshot.
    private var added: [CustomerKey] = []

    /// So many are put in one by one; more are sorted and merged.
    private static let insertionsMax = 32

    init(base: MappedState? = nil) { self.base = base }

    mutating func note(_ key: CustomerKey) {
        if key.name != 0 { arrived.append(key) }
    }

    /// Puts those that arrived into their places.
    /// - Complexity: O(*m* log *n*) in those that arrived and in all that were added since the snapshot, where few
    ///   arrived; else O(*n* + *m* log *m*).
    mutating func settle(_ names: NameTable) {
        guard arrived.count > 0 else { return }
        var new: Set<CustomerKey> = []
        arrived.forEach { if base?.isCustomer($0) != true { new.insert($0) } }
        arrived = PagedArray()
        guard new.count > Self.insertionsMax else {
            for key in new {
                let place = added.sortedPrefixCount { Self.precedes($0, key, names) }
                // It was named again.
                if place < added.count, added[place] == key { continue }
                added.insert(key, at: place)
            }
            return
        }
        let sorted = Self.sorted(Array(new), names)
        added = Self.merged(added, sorted, names)
    }

    /// All of them, ascending.
    func forEach(_ names: NameTable, _ body: (CustomerKey) -> Void) {
        var settled = self
        settled.settle(names)
        var merge = OrderedMerge(settled.added) { Self.precedes($0, $1, names) }
        var last: CustomerKey?
        func hand(on key: CustomerKey) {
            // One that was named again stands behind its place in the snapshot.
            if key != last { body(key) }
            last = key
        }
        base?.forEachCustomer { merge.take($0, hand) }
        merge.finish(hand)
    }

    /// The first customers of an environment whose ids begin with a text, ascending.
    /// - Parameters:
    ///   - after: Only ids that come after this one.
    ///   - limit: At most so many.
    /// - Complexity: O(log *n* + *m*) in all customers and those that are given, once everything has its place.
    mutating func page(
        _ environment: Environment, prefix: String, after: String?, limit: Int, _ names: NameTable
    ) -> [NameID] {
        settle(names)
        let start = after.map { precedesInBytes($0, prefix) ? prefix : $0 } ?? prefix
        let skipsStart = after.map { haveSameBytes($0, start) } ?? false
        func isBefore(_ key: CustomerKey) -> Bool {
            if key.environment != environment {
                return key.environment.rawValue < environment.rawValue
            }
            let text = names[key.name]
            return precedesInBytes(text, start) || skipsStart && haveSameBytes(text, start)
        }
        var place = (base: base?.firstCustomer { !isBefore($0) } ?? 0, added: 0)
        place.added = added.sortedPrefixCount(where: isBefore)
        var found: [NameID] = []
        while found.count < limit {
            let former = base?.customer(at: place.base)
            let new = place.added < added.count ? added[place.added] : nil
            guard let next = Self.first(former, new, names) else { break }
            if next == former { place.base += 1 } else { place.added += 1 }
            guard next.environment == environment,
                names[next.name].utf8.starts(with: prefix.utf8)
            else { break }
            found.append(next.name)
        }
        return found
    }

    private static func first(
        _ left: CustomerKey?, _ right: CustomerKey?, _ names: NameTable
    ) -> CustomerKey? {
        guard let left, let right else { return left ?? right }
        return precedes(right, left, names) ? right : left
    }

    private static func precedes(
        _ left: CustomerKey, _ right: CustomerKey, _ names: NameTable
    ) -> Bool {
        if left.environment != right.environment {
            return left.environment.rawValue < right.environment.rawValue
        }
        return precedesInBytes(names[left.name], names[right.name])
    }

    /// Both, each customer once.
    private static func merged(
        _ left: [CustomerKey], _ right: [CustomerKey], _ names: NameTable
    ) -> [CustomerKey] {
        if left.isEmpty || right.isEmpty { return left + right }
        var merged: [CustomerKey] = []
        merged.reserveCapacity(left.count + right.count)
        var index = 0
        for key in right {
            while index < left.count, precedes(left[index], key, names) {
                merged.append(left[index])
                index += 1
            }
            if index < left.count, left[index] == key { continue }
            merged.append(key)
        }
        return merged + left[index...]
    }

    /// Ids of one app begin alike, and most differ within sixteen bytes, which are compared as numbers.
    private static func sorted(_ keys: [CustomerKey], _ names: NameTable) -> [CustomerKey] {
        struct Item {
            var key: CustomerKey
            var high: UInt64 = 0
            var low: UInt64 = 0
        }
        var items: [Item] = []
        items.reserveCapacity(keys.count)
        for key in keys {
            var item = Item(key: key)
            names.withUTF8(of: key.name) { bytes in
                for (index, byte) in bytes.prefix(16).enumerated() {
                    let shift = UInt64(56 - 8 * (index & 7))
                    if index < 8 {
                        item.high |= UInt64(byte) << shift
                    } else {
                        item.low |= UInt64(byte) << shift
                    }
                }
            }
            items.append(item)
        }
        items.sort { left, right in
            let environments = (left.key.environment.rawValue, right.key.environment.rawValue)
            if environments.0 != environments.1 { return environments.0 < environments.1 }
            if left.high != right.high { return left.high < right.high }
            if left.low != right.low { return left.low < right.low }
            return precedesInBytes(names[left.key.name], names[right.key.name])
        }
        return items.map(\.key)
    }
}
