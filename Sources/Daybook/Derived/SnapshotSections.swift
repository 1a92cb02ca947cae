import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes what a ledger must know at a cut as the sections of `SnapshotFormat`: of a ledger with a snapshot, what that
/// one has together with what came since.
///
/// Bytes are made while they are written. What is in memory at a time are a few bytes a name for one section, and what
/// came since the snapshot before in the order of its section.
struct SnapshotSections {
    let state: LedgerState
    /// `nil`: nothing was digested.
    let sums: BucketSums?
    /// Of the ledger.
    let secret: LedgerSecret

    func all() -> [ContainerSection] {
        let (state, sums, secret) = (state, sums, secret)
        return [
            section(.names) { Self.writeNames(state, &$0) },
            section(.texts) { Self.writeTexts(state, &$0) },
            section(.slots) { Self.writeSlots(state, secret, &$0) },
            section(.streams) { Self.writeStreams(state, &$0) },
            section(.members) { Self.writeMembers(state, &$0) },
            section(.lineages) { writer in
                state.forEachNaming { customer, lineage in
                    writer.append(SnapshotFormat.number(of: customer))
                    writer.append(lineage)
                    writer.append(UInt32(0))
                }
            },
            section(.links) { writer in
                state.identity.forEachLink { SnapshotFormat.append($1, of: $0, to: &writer) }
            },
            section(.handovers) { writer in
                state.identity.forEachHandover { SnapshotFormat.append($1, of: $0, to: &writer) }
            },
            section(.order) { writer in
                state.customers.forEach(state.names) {
                    writer.append(SnapshotFormat.number(of: $0))
                }
            },
            section(.special) { for position in state.special { $0.append(position) } },
            section(.zones) { for name in state.zoneNames.sorted() { $0.append(name) } },
            section(.sums, fingerprint: SnapshotFormat.foldFingerprint) { writer in
                for sum in sums?.sums ?? [] { writer.append(sum.bytes) }
            },
        ]
    }

    private func section(
        _ section: SnapshotFormat.Section, fingerprint: UInt64 = 0,
        _ content: @escaping ContainerSection.Content
    ) -> ContainerSection {
        ContainerSection(
            name: section.rawValue, fingerprint: fingerprint,
            elementByteCount: section.elementByteCount, content: content)
    }

    private static func writeNames(_ state: LedgerState, _ writer: inout SectionWriter) {
        let count = state.storedNameCount
        var first = [UInt32](repeating: 0, count: count + 1)
        for id in stride(from: UInt32(state.storedStreamCount), to: 0, by: -1) {
            first[Int(state.streams[id].record.name)] = id
        }
        var offset: UInt64 = 0
        for id in 1..<UInt32(count + 1) {
            var byteCount = 0
            state.names.withUTF8(of: id) { byteCount = $0.count }
            writer.append(offset)
            writer.append(UInt32(byteCount))
            writer.append(first[Int(id)])
            offset += UInt64(byteCount)
        }
    }

    private static func writeTexts(_ state: LedgerState, _ writer: inout SectionWriter) {
        for id in 1..<UInt32(state.storedNameCount + 1) {
            state.names.withUTF8(of: id) { writer.append(UnsafeRawBufferPointer($0)) }
        }
    }

    private static func writeSlots(
        _ state: LedgerState, _ secret: LedgerSecret, _ writer: inout SectionWriter
    ) {
        let count = state.storedNameCount
        var slotCount = 2
        while slotCount <= 2 * count { slotCount *= 2 }
        var slots = [UInt32](repeating: 0, count: slotCount)
        for id in 1..<UInt32(count + 1) {
            var hash: UInt64 = 0
            state.names.withUTF8(of: id) {
                hash = SipHash.hash64(secret.lookupKey, UnsafeRawBufferPointer($0))
            }
            var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = id
        }
        for id in slots { writer.append(id) }
    }

    private static func writeStreams(_ state: LedgerState, _ writer: inout SectionWriter) {
        let count = state.storedStreamCount
        var last = [UInt32](repeating: 0, count: state.storedNameCount + 1)
        var next = [UInt32](repeating: 0, count: count + 1)
        for id in stride(from: UInt32(count), to: 0, by: -1) {
            let name = Int(state.streams[id].record.name)
            next[Int(id)] = last[name]
            last[name] = id
        }
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
    }

    private static func writeMembers(_ state: LedgerState, _ writer: inout SectionWriter) {
        for group in state.streams.groups {
            for stream in group.streams {
                writer.append(group.aggregate)
                writer.append(stream)
            }
        }
    }
}
