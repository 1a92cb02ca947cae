public import DaybookEvents

extension CustomerCase {
    /// The text of a reference, where it is short, a UUID, or was looked up (`texts`).
    func name(of reference: Reference) -> String? { reference.text ?? texts[reference] }

    /// The text of a reference, else its digest, for answers that must show something.
    func text(of reference: Reference) -> String {
        name(of: reference) ?? reference.hexadecimal
    }

    /// References that an answer may show as text although only the row has the text: items on gauges, and grants.
    ///
    /// The ledger looks the texts up when it gathers the case and gives them in `texts`; an item on a gauge without its
    /// text is counted and not listed, because a digest means nothing to a reader.
    public var namesToLookUp: Set<Reference> {
        var found = Set(state.customer.grants.map(\.id).filter { !$0.hasText })
        var isGauge: [NameID: Bool] = [:]
        for entry in state.usage.entries where !entry.reference.hasText {
            let known =
                isGauge[entry.meter] ?? (catalogs.meter(named: names[entry.meter])?.kind == .gauge)
            isGauge[entry.meter] = known
            if known { found.insert(entry.reference) }
        }
        return found.subtracting(texts.keys)
    }
}
