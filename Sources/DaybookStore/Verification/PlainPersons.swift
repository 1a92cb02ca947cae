import DaybookEvents

/// Which customers are one person, and what else a snapshot holds beside names and streams, gathered along the rows.
struct PlainPersons {
    /// An event's name.
    struct Key: Hashable {
        var environment: Int64
        var source: Int64
        var bits = PlainBits()
    }

    /// An alias, an un-alias, or a transfer of everything.
    struct Statement {
        var key: Key
        var left: Int64
        var right: Int64
        var isOn: Bool
        var occurredAt: Int64
        var sequence: Int64
        var position: Int64
    }

    private struct Correction {
        var isVoiding: Bool
        var own: Key
        var position: Int64
    }

    /// A lineage that names a customer.
    struct Naming: Hashable {
        var customer: UInt64
        var lineage: Int64
    }

    private(set) var links: [Statement] = []
    private(set) var handovers: [Statement] = []
    private(set) var special: [Int64] = []
    private(set) var zones: Set<Int64> = []
    private(set) var namings: Set<Naming> = []
    /// An amendment may name a zone, which stands in its text.
    private(set) var isAmended = false
    private var corrections: [Key: [Correction]] = [:]

    mutating func note(
        _ event: PlainEvent, at position: Int64, in stream: PlainStream, _ names: PlainNames
    ) {
        let named = Self.named(event, in: stream)
        for name in named where stream.isLineage {
            var customer = stream
            customer.name = name
            namings.insert(Naming(customer: customer.customer, lineage: lineage))
        }
        noteSpellings(named, at: position, in: stream, names)
        guard let type = EventType(rawValue: UInt16(truncatingIfNeeded: event.type)) else { return }
        let own = Key(
            environment: stream.environment, source: event.source, bits: event.key)
        func statement(isOn: Bool) -> Statement {
            Statement(
                key: own, left: event.nameA, right: event.nameB, isOn: isOn,
                occurredAt: event.occurredAt, sequence: event.sequence, position: position)
        }
        switch type {
        case .subjectAliased, .subjectUnaliased:
            if event.nameA != 0 { links.append(statement(isOn: type == .subjectAliased)) }
        case .purchaseTransferred where stream.isCustomer:
            handovers.append(statement(isOn: true))
        case .correctionVoided, .correctionAmended:
            let target = Key(
                environment: stream.environment, source: event.nameA, bits: event.reference)
            let isVoiding = type == .correctionVoided
            if !isVoiding { isAmended = true }
            corrections[target, default: []].append(
                Correction(isVoiding: isVoiding, own: own, position: position))
            special.append(position)
        case .catalogPublished, .catalogRolledBack: special.append(position)
        case .subjectCreated, .subjectTimeZoneChanged:
            if event.nameA != 0 { zones.insert(event.nameA) }
        default: break
        }
    }

    /// Customers so far whose id is a UUID in letters of one case, by environment and the UUID in small letters.
    private var spelled: [[UInt8]: [Int64]] = [:]

    /// Two customers of one UUID, in capitals and in small letters, are linked by the event that names the second.
    private mutating func noteSpellings(
        _ named: [Int64], at position: Int64, in stream: PlainStream, _ names: PlainNames
    ) {
        for name in named {
            let text = names.text(name)
            guard let small = Self.smallUUID(text) else { continue }
            let place = [UInt8(truncatingIfNeeded: stream.environment)] + small
            let known = spelled[place] ?? []
            if known.contains(name) { continue }
            spelled[place] = known + [name]
            guard let other = known.first else { continue }
            let isUpper = !text.elementsEqual(small)
            links.append(
                Statement(
                    key: Key(environment: stream.environment, source: 0),
                    left: isUpper ? name : other, right: isUpper ? other : name, isOn: true,
                    occurredAt: Int64.max, sequence: Int64.max, position: position))
        }
    }

    /// The UUID in small letters; `nil` for every other text, for one without letters and for one that mixes them.
    private static func smallUUID(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count == 36 else { return nil }
        var (smallCount, largeCount) = (0, 0)
        for (index, byte) in text.enumerated() {
            switch (index, byte) {
            case (8, 0x2D), (13, 0x2D), (18, 0x2D), (23, 0x2D): continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 0x30...0x39): continue
            case (_, 0x61...0x66): smallCount += 1
            case (_, 0x41...0x46): largeCount += 1
            default: return nil
            }
        }
        guard (smallCount == 0) != (largeCount == 0) else { return nil }
        return text.map { 0x41...0x46 ~= $0 ? $0 + 0x20 : $0 }
    }

    /// The customers that an event of a lineage or a customer names, by the numbers of their names.
    private static func named(_ event: PlainEvent, in stream: PlainStream) -> [Int64] {
        var named: [Int64] = []
        let type = EventType(rawValue: UInt16(truncatingIfNeeded: event.type))
        if stream.isLineage {
            named.append(event.customer)
            switch type {
            case .purchaseTransferred, .purchaseCompleted, .subscriptionStarted,
                .subscriptionRenewed, .storeTransactionStated:
                named.append(event.nameB)
            default: break
            }
        }
        if stream.isCustomer {
            named.append(stream.name)
            switch type {
            case .subjectAliased, .subjectUnaliased, .purchaseTransferred:
                named += [event.nameA, event.nameB]
            default: break
            }
        }
        return named.filter { $0 != 0 }
    }

    /// The number of the stream that is being noted.
    var lineage: Int64 = 0

    /// The events that are void: those with a voiding correction that is not void itself. Round after round decides
    /// what it can, the latest corrections first, which nearly always is all of it; what voids itself in a circle stays
    /// undecided, and so is not void.
    private func voidEvents() -> Set<Key> {
        var open = corrections.mapValues { $0.filter(\.isVoiding) }.filter { !$0.value.isEmpty }
            .map { (target: $0.key, voids: $0.value) }
        open.sort { ($0.voids.last?.position ?? 0) > ($1.voids.last?.position ?? 0) }
        var undecided = Set(open.map(\.target))
        var void: Set<Key> = []
        while true {
            let before = open.count
            open.removeAll { target, voids in
                let isHeld = voids.contains {
                    !undecided.contains($0.own) && !void.contains($0.own)
                }
                guard isHeld || voids.allSatisfy({ void.contains($0.own) }) else { return false }
                undecided.remove(target)
                if isHeld { void.insert(target) }
                return true
            }
            if open.count == before { return void }
        }
    }

    /// The aggregate of every stream: customers linked by aliases that were not taken back are one person.
    func aggregates(_ streams: ArraySlice<PlainStream>, _ names: PlainNames) -> [Int64] {
        var aggregates = streams.indices.map { Int64($0) }
        var parents: [UInt64: UInt64] = [:]
        func root(_ customer: UInt64) -> UInt64 {
            var place = customer
            while let next = parents[place], next != place { place = next }
            return place
        }
        for (left, right) in activePairs(names) {
            let (from, to) = (root(left), root(right))
            parents[from] = to
            parents[to] = to
        }
        if parents.isEmpty { return aggregates }
        var least: [UInt64: Int64] = [:]
        for id in streams.indices.reversed() where streams[id].isCustomer {
            least[root(streams[id].customer)] = Int64(id)
        }
        for id in streams.indices where streams[id].isCustomer {
            aggregates[id] = least[root(streams[id].customer)] ?? Int64(id)
        }
        return aggregates
    }

    private struct Pair: Hashable {
        var environment: Int64
        var least: Int64
        var greatest: Int64

        init(_ statement: Statement) {
            environment = statement.key.environment
            least = min(statement.left, statement.right)
            greatest = max(statement.left, statement.right)
        }

        /// Of everything that was said of an alias.
        init(splitting statement: Statement) {
            environment = statement.key.environment
            least = statement.left
            greatest = -1
        }
    }

    private func activePairs(_ names: PlainNames) -> [(UInt64, UInt64)] {
        let void = voidEvents()
        let known = links.filter { !void.contains($0.key) }
        var ends: [Pair: [Statement]] = [:]
        for link in known {
            if link.right == 0 {
                ends[Pair(splitting: link), default: []].append(link)
            } else if !link.isOn {
                ends[Pair(link), default: []].append(link)
            }
        }
        return known.compactMap { link in
            guard link.isOn, link.right != 0 else { return nil }
            let later = (ends[Pair(link)] ?? []) + (ends[Pair(splitting: link)] ?? [])
            guard !later.contains(where: { Self.precedes(link, $0, names) }) else { return nil }
            let above = UInt64(truncatingIfNeeded: link.key.environment) << 32
            return (
                above | UInt64(truncatingIfNeeded: link.left),
                above | UInt64(truncatingIfNeeded: link.right)
            )
        }
    }

    /// Canonical order (rule 2), long keys by their digests.
    private static func precedes(
        _ left: Statement, _ right: Statement, _ names: PlainNames
    ) -> Bool {
        if left.occurredAt != right.occurredAt { return left.occurredAt < right.occurredAt }
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        if left.key.source != right.key.source {
            return names.text(left.key.source).lexicographicallyPrecedes(
                names.text(right.key.source))
        }
        let (own, other) = (left.key.bits, right.key.bits)
        return (own.high, own.low) < (other.high, other.low)
    }
}
