import DaybookStore
import Synchronization

/// What a snapshot's file held, made again in memory from the ledger's rows: where another program cut the file short
/// while it was mapped.
///
/// Sections are a function of the events up to the cut, so what was looked up in the file and what is looked up here
/// fit together. The checksums that the file had say whether that is so; where it is not, or rows cannot be read,
/// nothing is answered any more (`LostKnowledge`).
final class SnapshotImage: Sendable {
    /// Gives the sections of a snapshot at a cut with so many names and streams.
    typealias Making =
        @Sendable (_ cut: Int64, _ names: Int, _ streams: Int) throws ->
        [ContainerSection]

    private enum Content {
        case unmade
        case made([String: [UInt8]])
        case failed
    }

    private let make: Making
    private let knowledge: LostKnowledge
    private let content = Mutex(Content.unmade)
    private let expected = Mutex<[String: [UInt32]]>([:])

    init(knowledge: LostKnowledge, make: @escaping Making) {
        self.knowledge = knowledge
        self.make = make
    }

    /// What the blocks of a section must come to.
    func expect(_ section: SnapshotFormat.Section, _ checksums: [UInt32]) {
        // Sums are of folded aggregates, and are in memory.
        if section == .sums { return }
        expected.withLock { $0[section.rawValue] = checksums }
    }

    /// Reads a range of a section's bytes; `nil` where there is no image.
    func read<Result>(
        _ section: SnapshotFormat.Section, _ range: Range<Int>, _ state: MappedState,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        let bytes: [UInt8]? = content.withLock { content in
            if case .unmade = content { content = made(state) }
            guard case .made(let sections) = content else { return nil }
            return sections[section.rawValue]
        }
        guard let bytes, range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    private func made(_ state: MappedState) -> Content {
        do {
            let (names, streams) = state.shape
            var found: [String: [UInt8]] = [:]
            let expected = expected.withLock { $0 }
            for section in try make(state.cut, names, streams) {
                let (bytes, checksums) = try section.collected()
                found[section.name] = bytes
                guard let known = expected[section.name], known != checksums else { continue }
                throw StoreError(
                    .damaged, "the rows give another section \(section.name) than it had")
            }
            guard expected.keys.allSatisfy({ found[$0] != nil }) else {
                throw StoreError(.damaged, "the rows give fewer sections than it had")
            }
            knowledge.noteImage(of: state.file.path)
            return .made(found)
        } catch {
            knowledge.noteFailure(of: state.file.path, StoreError.wrapping(error))
            return .failed
        }
    }
}

/// Whether a ledger has lost what its answers rest on: once set, it answers and decides nothing.
final class LostKnowledge: Sendable {
    private let isSet = Atomic<Bool>(false)
    private let error = Mutex<StoreError?>(nil)
    private let log: @Sendable (String) -> Void

    /// - Parameter log: Is told of each file that was lost, once.
    init(log: @escaping @Sendable (String) -> Void) { self.log = log }

    fileprivate func noteImage(of path: String) {
        log(
            "\(path) was cut short by another program, or cannot be read; its place is taken by the rows"
        )
    }

    fileprivate func noteFailure(of path: String, _ reason: StoreError) {
        let failure = StoreError(
            .damaged,
            "\(path) was cut short by another program, or cannot be read, and what was in it cannot be made again "
                + "(\(reason.message)); open the ledger again", cause: reason)
        log(failure.message)
        error.withLock { $0 = failure }
        isSet.store(true, ordering: .sequentiallyConsistent)
    }

    /// - Throws: `StoreError.damaged` once something was lost for good.
    func check() throws {
        guard isSet.load(ordering: .acquiring) else { return }
        if let error = error.withLock({ $0 }) { throw error }
    }
}
