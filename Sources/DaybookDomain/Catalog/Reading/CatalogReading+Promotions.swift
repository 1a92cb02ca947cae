import DaybookEvents

extension CatalogReading {
    /// `promotions`: by name, what a batch of codes gives.
    func promotions(_ fields: CatalogFields) -> [Promotion] {
        named("promotions", of: fields) { name, fields -> Promotion? in
            // The name stands in ids of grants and in keys, with a number behind it.
            if name.isEmpty || name.utf8.count > 64 || name.utf8.contains(UInt8(ascii: "/")) {
                report(
                    "`\(name)` is no name of a promotion.",
                    "Write 1 to 64 bytes without a slash.", at: fields.place)
            }
            fields.require("entitlement", "Say what a code gives: `entitlement: premium`.")
            fields.require("codes", "Say how many codes there are: `codes: 50`.")
            let entitlement = fields.reference("entitlement", .entitlement)
            let codes = fields.whole("codes", 1...Promotion.codesMax)
            var promotion = Promotion(
                name: name, entitlement: entitlement ?? "", codes: codes ?? 0)
            promotion.duration = fields.duration("duration")
            promotion.redeemableUntil = fields.instant("until")
            promotion.scope = fields.choice("scope") ?? .subject
            return entitlement == nil || codes == nil ? nil : promotion
        }
    }
}
