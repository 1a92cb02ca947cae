import DaybookEvents

extension CatalogReading {
    /// `experiments`: by name, the weight of each variant.
    func experiments(_ fields: CatalogFields) -> [Experiment] {
        named("experiments", of: fields) { name, fields -> Experiment? in
            fields.require(
                "variants", "Write at least two with their weights: `variants: { a: 1, b: 1 }`.")
            guard let node = fields.node("variants") else { return nil }
            let place = fields.place(of: "variants")
            let weights = CatalogFields(node, self)
            let names = node.entries(self).map(\.key)
            for name in [name] + names {
                guard name.isEmpty || name.utf8.count > EventBounds.nameByteCountMax else {
                    continue
                }
                report(
                    "A name here has \(name.utf8.count) bytes.",
                    "Names have 1 to \(EventBounds.nameByteCountMax) bytes.", at: place)
            }
            for name in names {
                weights.require(name, "Write its weight: `\(name): 1`.")
            }
            let variants = names.compactMap { name in
                weights.whole(name, 0...Experiment.weightMax).map {
                    Experiment.Variant(name: name, weight: $0)
                }
            }
            guard variants.count == names.count else { return nil }
            guard variants.count >= 2, variants.contains(where: { $0.weight > 0 }) else {
                report(
                    "The experiment `\(name)` shares out nothing.",
                    "Write at least two variants, one of them with a weight above 0.", at: place)
                return nil
            }
            return Experiment(name: name, variants: variants)
        }
    }
}
