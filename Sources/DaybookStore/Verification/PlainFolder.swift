/// The derived files of one ledger, and what was found of each.
struct PlainFolder {
    /// Of files that this build could have written for this ledger.
    struct Expectation {
        var ledger: UInt64
        var snapshots: UInt64
        var segments: UInt64
        var keys: UInt64
    }

    enum Kind: UInt32, CaseIterable {
        case snapshot = 1
        case keys = 2
        case segment = 3

        var suffix: String {
            switch self {
            case .snapshot: ".daysnap"
            case .keys: ".daykeys"
            case .segment: ".dayseg"
            }
        }

        var check: String {
            switch self {
            case .snapshot: "snapshots: say what the rows say"
            case .keys: "lookup arrays: hold the keys of the rows"
            case .segment: "segments: hold what the rows hold"
            }
        }

        func fingerprint(_ expected: Expectation) -> UInt64 {
            switch self {
            case .snapshot: expected.snapshots
            case .keys: expected.keys
            case .segment: expected.segments
            }
        }
    }

    /// A file of this ledger, until its history is known to be another one.
    struct Candidate {
        var kind: Kind
        var file: PlainContainer
        /// What differs; it counts if the file is of this history.
        var problems = PlainProblems()
        var isOfThisHistory = false
    }

    private(set) var candidates: [Candidate] = []
    private(set) var problems: [Kind: PlainProblems] = [:]
    private(set) var notes = PlainProblems()
    private(set) var eventCounts: [Kind: Int64] = [:]

    init(path: String, expected: Expectation, through head: Int64) {
        for kind in Kind.allCases {
            for name in DerivedFile.names(in: path, suffix: kind.suffix) {
                do throws(PlainContainer.Refusal) {
                    // Merged, pruned or replaced since the folder was read.
                    guard let file = try PlainFile(path: "\(path)/\(name)") else { continue }
                    let container = try PlainContainer(file, name: name)
                    try Self.check(container, kind, expected, head)
                    candidates.append(Candidate(kind: kind, file: container))
                } catch {
                    note(error, kind, name, isStray: Self.isBeyond(name, kind, head))
                }
            }
        }
        let aside = DerivedFile.names(in: path, suffix: ".aside").count
        if aside > 0 { notes.add("\(aside) files that were set aside") }
    }

    private static func check(
        _ file: PlainContainer, _ kind: Kind, _ expected: Expectation, _ head: Int64
    ) throws(PlainContainer.Refusal) {
        try PlainContainer.Refusal.require(
            file.kind == kind.rawValue, "it is of kind \(file.kind), expected \(kind.rawValue)")
        guard file.ledger == expected.ledger else { throw .note("of another ledger") }
        guard file.fingerprint == kind.fingerprint(expected) else {
            throw .note("another vocabulary or version wrote it")
        }
        guard file.cut <= head else { throw .note("beyond the end, which is \(head)") }
        guard file.cut >= 1 else { throw .problem("its positions make no sense") }
        let digits = String(file.cut)
        let written = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        guard kind == .segment || file.name.hasSuffix(written + kind.suffix) else {
            throw .problem("its cut is \(file.cut)")
        }
    }

    /// Whether a file's name alone shows that it is not of this ledger: it is no name of such a file, or beyond the
    /// end.
    private static func isBeyond(_ name: String, _ kind: Kind, _ head: Int64) -> Bool {
        let stem = name.dropLast(kind.suffix.count)
        switch kind {
        case .segment:
            // Segments have some thousand events in general and one at least.
            guard let number = Int64(stem), number >= 0 else { return true }
            return number > head
        case .snapshot, .keys:
            guard let last = stem.split(separator: "-").last, let cut = Int64(last) else {
                return true
            }
            return cut > head || stem.hasPrefix("-") || stem.hasPrefix("+")
        }
    }

    private mutating func note(
        _ refusal: PlainContainer.Refusal, _ kind: Kind, _ name: String, isStray: Bool = false
    ) {
        switch refusal {
        case .problem(let reason) where !isStray:
            problems[kind, default: PlainProblems()].add(
                "\(name): \(reason); \(Self.remedy(kind))")
        case .problem(let reason), .note(let reason): notes.add("\(name): \(reason)")
        }
    }

    private static func remedy(_ kind: Kind) -> String {
        kind == .segment ? "a snapshot writes it anew" : "delete it"
    }

    mutating func add(_ refusal: PlainContainer.Refusal, to index: Int) {
        switch refusal {
        case .problem(let reason): add(reason, to: index)
        case .note(let reason): notes.add("\(candidates[index].file.name): \(reason)")
        }
    }

    mutating func add(_ problem: String, to index: Int) {
        candidates[index].problems.add(problem)
    }

    /// What is known once the rows up to a file's cut were read.
    mutating func settle(_ index: Int, isOfThisHistory: Bool) {
        candidates[index].isOfThisHistory = isOfThisHistory
        let file = candidates[index].file
        if isOfThisHistory {
            let first = max(1, file.first)
            eventCounts[candidates[index].kind, default: 0] += file.cut - first + 1
        } else {
            notes.add("\(file.name): of another history than position \(file.cut) has")
        }
    }

    /// One finding for each kind of files that there are, and one for what was passed over.
    func findings() -> [IndependentFinding] {
        var findings: [IndependentFinding] = []
        for kind in [Kind.segment, .keys, .snapshot] {
            var parts = problems[kind].map { $0.isEmpty ? [] : [$0.text] } ?? []
            var count = 0
            for candidate in candidates
            where candidate.kind == kind && candidate.isOfThisHistory {
                count += 1
                guard !candidate.problems.isEmpty else { continue }
                parts.append(
                    "\(candidate.file.name): \(candidate.problems.text); \(Self.remedy(kind))")
            }
            guard count > 0 || !parts.isEmpty else { continue }
            let clean =
                kind == .snapshot
                ? "\(count) of them" : "\(eventCounts[kind] ?? 0) events"
            findings.append(
                IndependentFinding(
                    check: kind.check, isClean: parts.isEmpty,
                    detail: parts.isEmpty ? clean : parts.joined(separator: "; ")))
        }
        if !notes.isEmpty {
            findings.append(
                IndependentFinding(
                    check: "derived files: passed over", isClean: true, detail: notes.text))
        }
        return findings
    }
}
