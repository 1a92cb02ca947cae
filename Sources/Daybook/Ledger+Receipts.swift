package import DaybookEvents

/// A receipt that tells which of its events comes last.
package protocol PlacedReceipt {
    /// `nil`: nothing was appended.
    var lastPosition: Int64? { get }
    /// Without the place.
    var json: JSONObject { get }
}

extension Receipt: PlacedReceipt {
    package var lastPosition: Int64? { positions.last }
}

extension TransferReceipt: PlacedReceipt {
    package var lastPosition: Int64? { receipt.positions.last }
}

extension ReportReceipt: PlacedReceipt {}
extension IngestReceipt: PlacedReceipt {}
extension RestoreReceipt: PlacedReceipt {}

/// Receipts as they are handed out of the process: with the place after their last event, which a later question names
/// so that its answer includes them.
extension Ledger {
    package func json(of receipt: some PlacedReceipt) -> JSONObject {
        var json = receipt.json
        json["place"] = .orNull(place(after: receipt)?.description)
        return json
    }

    /// - Returns: `nil`: nothing was appended, or the place could not be found, which makes nothing undone that was
    ///   acknowledged.
    package func place(after receipt: some PlacedReceipt) -> Place? {
        guard let position = receipt.lastPosition else { return nil }
        do {
            return try place(at: position)
        } catch {
            core.log.tell(.warning, "the place after position \(position) was not found: \(error)")
            return nil
        }
    }
}
