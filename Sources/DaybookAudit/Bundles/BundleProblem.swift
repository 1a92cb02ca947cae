public import DaybookEvents

/// Why there is no bundle, or why one cannot be used.
public enum BundleProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nothing is known of a customer within the cut.
    case unknownSubject(String, Environment, position: Int64)
    /// The file is of a format that only a newer build reads.
    case newer(format: Int64, version: String)
    /// The file is not what was written, or never was a bundle.
    case damaged(String)
    /// Replayed, the events do not give the ledger's answers; nothing is captured.
    case differs([JSONDifference])
    /// A share of the customers has a catalog, and of those who are captured together some are in it and some not:
    /// under other names it could not be told which.
    case cohortsDiffer(version: Int64)

    /// A stable word for scripts.
    public var code: String {
        switch self {
        case .unknownSubject: "unknown_subject"
        case .newer: "newer_bundle"
        case .damaged: "damaged_bundle"
        case .differs: "bundle_differs"
        case .cohortsDiffer: "cohorts_differ"
        }
    }

    /// What is wrong and what to do, in one sentence.
    public var description: String {
        switch self {
        case .unknownSubject(let subject, let environment, let position):
            "nothing is known of \(subject) in \(environment.name) at position \(position); check the name, the environment and what is to be known"
        case .newer(let format, let version):
            "the bundle has format \(format), of daybook \(version); this build reads up to \(ReproBundle.format): use a newer one"
        case .damaged(let reason):
            "the bundle is damaged: \(reason); ask for it again"
        case .differs(let differences):
            "replayed by themselves the events give another answer, so nothing was written; it differs at \(differences.prefix(5).map(\.path).joined(separator: ", "))\(differences.count > 5 ? ", and \(differences.count - 5) more places" : "")"
        case .cohortsDiffer(let version):
            "catalog \(version) is for a share of the customers, and these are not all in it; capture them one by one"
        }
    }
}
