package import DaybookEvents

/// Numbers that are told as one object, as comma-separated values, or as a line of JSON for each.
package protocol NumberRows {
    var json: JSONObject { get }
    /// With a header line.
    var csv: String { get }
    var lines: String { get }
}

extension MetricsReport: NumberRows {}
extension Contributions: NumberRows {}
extension FunnelCustomers: NumberRows {}
