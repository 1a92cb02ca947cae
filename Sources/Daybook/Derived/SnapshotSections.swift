import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes what a ledger must know at a cut as the sections of `SnapshotFormat`.
struct SnapshotSections {
    let state: LedgerState
    /// `nil`: nothing was digested.
    let sums: BucketSums?
    /// Of the ledger.
    let secret: LedgerSecret

    func all() -> [ContainerSection] {
        let (names, texts, slots) = nameSections()
        return [
            names, texts, slots, section(.streams, streams()), section(.members, members()),
            section(.lineages, lineages()),
        ] + linkSections() + [
            section(
                .order,
                numbers(state.customers.all(state.names).map(SnapshotFormat.number(of:)))),
            section(.special, numbers(state.special)),
            section(.zones, numbers(state.zoneNames.sorted())),
            section(
                .sums, sums?.sums.flatMap(\.bytes) ?? [],
                fingerprint: SnapshotFormat.foldFingerprint),
        ]
    }

    private func section(
        _ section: SnapshotFormat.Section, _ bytes: [UInt8], fingerprint: UInt64 = 0
    ) -> ContainerSection {
        ContainerSection(
            name: section.rawValue, fingerprint: fingerprint,
            elementCount: bytes.count / section.elementByteCount,
            bytes: bytes)
    }

    private func numbers<Number: FixedWidthInteger>(_ values: [Number]) -> [UInt8] {
        var writer = ByteWriter(byteCount: values.count * MemoryLayout<Number>.size)
        for value in values { writer.append(value) }
        return writer.bytes
    }

    private func nameSections() -> (ContainerSection, ContainerSection, ContainerSection) {
        let count = state.storedNameCount
        var first = [UInt32](repeating: 0, count: count + 1)
        for id in stride(from: UInt32(state.storedStreamCount), to: 0, by: -1) {
            first[Int(state.streams[id].record.name)] = id
        }
        var slotCount = 2
        while slotCount <= 2 * count { slotCount *= 2 }
        var slots = [UInt32](repeating: 0, count: slotCount)
        var names = ByteWriter(byteCount: count * SnapshotFormat.Section.names.elementByteCount)
        var texts: [UInt8] = []
        for id in 1..<UInt32(count + 1) {
            let text = state.names[id]
            names.append(UInt64(texts.count))
            names.append(UInt32(text.utf8.count))
            names.append(first[Int(id)])
            texts.append(contentsOf: text.utf8)
            var slot =
                Int(truncatingIfNeeded: SnapshotFormat.hash(text, secret.lookupKey))
                & (slotCount - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = id
        }
        return (
            section(.names, names.bytes), section(.texts, texts), section(.slots, numbers(slots))
        )
    }

    private func streams() -> [UInt8] {
        let count = state.storedStreamCount
        var last = [UInt32](repeating: 0, count: state.storedNameCount + 1)
        var next = [UInt32](repeating: 0, count: count + 1)
        for id in stride(from: UInt32(count), to: 0, by: -1) {
            let name = Int(state.streams[id].record.name)
            next[Int(id)] = last[name]
            last[name] = id
        }
        var writer = ByteWriter(byteCount: count * SnapshotFormat.Section.streams.elementByteCount)
        for id in 1..<UInt32(count + 1) {
            let entry = state.streams[id]
            writer.append(entry.head.position)
            writer.append(entry.head.version)
            writer.append(entry.record.name)
            writer.append(entry.aggregate)
            writer.append(next[Int(id)])
            writer.append(entry.record.environment.rawValue)
            writer.append(entry.record.kind.rawValue)
            writer.append(UInt16(0))
        }
        return writer.bytes
    }

    private func members() -> [UInt8] {
        var writer = ByteWriter()
        for group in state.streams.groups {
            for stream in group.streams {
                writer.append(group.aggregate)
                writer.append(stream)
            }
        }
        return writer.bytes
    }

    private func lineages() -> [UInt8] {
        var all: [(customer: UInt64, order: Int, lineage: UInt32)] = []
        state.forEachNaming { all.append((SnapshotFormat.number(of: $0), all.count, $1)) }
        all.sort { ($0.customer, $0.order) < ($1.customer, $1.order) }
        var writer = ByteWriter()
        for naming in all {
            writer.append(naming.customer)
            writer.append(naming.lineage)
            writer.append(UInt32(0))
        }
        return writer.bytes
    }

    private func linkSections() -> [ContainerSection] {
        var links: [(key: CustomerKey, link: Identity.Link)] = []
        var handovers: [(key: CustomerKey, handover: Identity.Handover)] = []
        state.identity.forEach({ links.append(($0, $1)) }, { handovers.append(($0, $1)) })
        links.sort { Self.place($0.key, $0.link.position) < Self.place($1.key, $1.link.position) }
        handovers.sort {
            Self.place($0.key, $0.handover.position) < Self.place($1.key, $1.handover.position)
        }
        var linkWriter = ByteWriter()
        for (key, link) in links { SnapshotFormat.append(link, of: key, to: &linkWriter) }
        var handoverWriter = ByteWriter()
        for (key, handover) in handovers {
            SnapshotFormat.append(handover, of: key, to: &handoverWriter)
        }
        return [
            section(.links, linkWriter.bytes), section(.handovers, handoverWriter.bytes),
        ]
    }

    /// By customer, then in order of arrival.
    private static func place(_ key: CustomerKey, _ position: Int64) -> (UInt64, Int64) {
        (SnapshotFormat.number(of: key), position)
    }
}
