import DaybookEvents

/// Variants of something that customers are shown, and how they are shared out.
public struct Experiment: Sendable, Equatable {
    /// One way to show it.
    public struct Variant: Sendable, Equatable {
        /// As `experiment.exposed` records it.
        public var name: String
        /// Its part of all weights; 0: no new customer gets it.
        public var weight: Int64
        /// Makes a variant; that the weight is 0 to `weightMax` is checked by the catalog's reader.
        public init(name: String, weight: Int64) {
            self.name = name
            self.weight = weight
        }
    }

    /// The greatest weight that a catalog may give a variant.
    public static let weightMax: Int64 = 1_000_000

    /// Key in the catalog's `experiments`; variants are drawn by it, so another name draws anew.
    public var name: String
    /// In document order, two or more, with a sum of weights above 0.
    public var variants: [Variant]

    /// Makes an experiment; nothing is checked.
    public init(name: String, variants: [Variant]) {
        self.name = name
        self.variants = variants
    }

    /// The variant of a customer who has not seen any: the same on every machine and for every order of questions, and
    /// independent of that of other experiments.
    ///
    /// The first 64 bits of the SHA-256 of `experiment/<name>/<id>`, modulo the sum of the weights, fall into the part
    /// of one variant. Of a UUID both spellings are one id.
    /// - Parameter subject: The customer's id.
    public func variant(for subject: String) -> String {
        let total = variants.reduce(0) { $0 + UInt64($1.weight) }
        let id = UUIDText.spellings(of: subject)?.lower ?? subject
        var place = Digest.sha256Prefix(Array("experiment/\(name)/\(id)".utf8)) % max(total, 1)
        for variant in variants {
            let weight = UInt64(variant.weight)
            if place < weight { return variant.name }
            place -= weight
        }
        return variants.last?.name ?? ""
    }
}
