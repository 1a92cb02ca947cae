import Daybook
import DaybookDomain

/// Reads the customers for whom a catalog is to be in force.
enum ScopeText {
    static func read(_ text: String) throws -> CatalogScope {
        switch text.replacing("_", with: "-") {
        case "all": return .all
        case "new", "new-subjects", "new-users": return .newSubjects
        case "next-period": return .nextPeriod
        default:
            let parts = text.split(separator: ":")
            if parts.count == 2, parts[0] == "cohort", let percent = Int64(parts[1]),
                (0...100).contains(percent)
            {
                return .cohort(percent)
            }
            throw Failure(
                .usage, "usage",
                "--applies-to \(text): write all, new, next-period or cohort:20")
        }
    }

    static func word(_ scope: CatalogScope) -> String {
        switch scope {
        case .all: "all"
        case .newSubjects: "new"
        case .nextPeriod: "next-period"
        case .cohort(let percent): "cohort:\(percent)"
        }
    }
}
