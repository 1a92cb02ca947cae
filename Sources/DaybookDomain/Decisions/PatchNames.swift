public import DaybookEvents

/// The names in an amendment's patch: a command must not bring in what no catalog has, as the command that it corrects
/// must not.
public enum PatchNames {
    /// - Returns: Why the patch is refused; `nil`: every name is known.
    public static func refusal(of patch: JSONObject, _ catalog: Catalog) -> Rejection? {
        let kinds: [(field: String, isKnown: (String) -> Bool, names: [String])] = [
            ("meter", { catalog.meter(named: $0) != nil }, catalog.meters.map(\.name)),
            ("feature", { catalog.feature(named: $0) != nil }, catalog.features.map(\.name)),
            (
                "entitlement", { catalog.entitlement($0) != nil },
                catalog.entitlements.map(\.name)
            ),
        ]
        for kind in kinds {
            guard let name = patch[kind.field]?.text, !kind.isKnown(name) else { continue }
            return .unknown(name, among: kind.names)
        }
        return nil
    }
}
