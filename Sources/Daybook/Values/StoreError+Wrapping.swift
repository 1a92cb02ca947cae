import DaybookEvents
import DaybookStore

extension StoreError {
    /// Any error of reading or writing a store as one of the store's own.
    ///
    /// A row that cannot be decoded is damage; what is unknown is a failure that names its cause.
    package static func wrapping(_ error: any Error) -> StoreError {
        if let error = error as? StoreError { return error }
        if let error = error as? RowDamage { return StoreError(.damaged, "\(error)") }
        return StoreError(.failed, "the store failed: \(error)", cause: error)
    }
}
