import DaybookEvents

extension CatalogReading {
    /// `promotions`: by name, what a batch of codes gives.
    func promotions(_ fields: CatalogFields) -> [Promotion] {
        named("promotions", of: fields) { name, fields -> Promotion? in
            // The name stands in ids of grants and in keys, with a number behind it.
            checkPathName(name, "promotion", at: fields.place)
            fields.require("entitlement", "Say what a code gives: `entitlement: premium`.")
            fields.require("codes", "Say how many codes there are: `codes: 50`.")
            let entitlement = fields.reference("entitlement", .entitlement)
            let codes = fields.whole("codes", 1...Promotion.codesMax)
            let duration = fields.duration("duration")
            let until = fields.instant("until")
            let scope: Product.Scope? = fields.choice("scope")
            guard let entitlement, let codes else { return nil }
            var promotion = Promotion(name: name, entitlement: entitlement, codes: codes)
            promotion.duration = duration
            promotion.redeemableUntil = until
            promotion.scope = scope ?? .subject
            return promotion
        }
    }
}
