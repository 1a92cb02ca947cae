import DaybookDomain
import DaybookEvents

/// Reads the customers for whom a catalog is to be in force.
enum ScopeText {
    static func read(_ text: String) throws -> CatalogScope {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let percent = parts.count == 2 ? Int64(parts[1]) : nil
        switch CatalogScopeKind(word: String(parts[0].replacing("-", with: "_"))) {
        case .cohort?:
            if let percent, (0...100).contains(percent) { return .cohort(percent) }
        case let kind?:
            if parts.count == 1, let scope = CatalogScope(kind, percent: nil) { return scope }
        case nil: break
        }
        throw Failure(
            .usage, "usage", "--applies-to \(text): write all, new, next-period or cohort:20")
    }
}
