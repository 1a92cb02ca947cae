import DaybookDomain
package import DaybookEvents

extension ExperimentReport {
    /// - Parameter detectPermille: The difference that is to be seen, as a part of the first variant's share.
    package func json(detectPermille: Int64) -> JSONObject {
        let needed = sampleSize(detectPermille: detectPermille)
        return [
            "experiment": .string(experiment), "metric": .string(metric.name),
            "variants": .array(variants.map { .object(json($0)) }),
            "detect_permille": .integer(detectPermille), "sample_size": .orNull(needed),
            "sample_reached": needed.map { .bool(isReached($0)) } ?? .null,
            "from": .integer(range.lowerBound), "until": .integer(range.upperBound),
            "tz": .string(zone), "as_of": .object(asOf.json),
        ]
    }

    /// Whether every variant has so many customers.
    package func isReached(_ sampleSize: Int64) -> Bool {
        variants.allSatisfy { $0.denominator >= sampleSize }
    }

    private func json(_ variant: Variant) -> JSONObject {
        let interval = variant.interval
        return [
            "name": .string(variant.name), "crossovers": .count(variant.crossovers),
            "numerator": .integer(variant.numerator), "denominator": .integer(variant.denominator),
            "value_micros": .orNull(variant.micros), "lower_micros": .orNull(interval?.lowerMicros),
            "upper_micros": .orNull(interval?.upperMicros),
            "lift_micros": .orNull(liftMicros(of: variant)), "complete": .bool(variant.isComplete),
        ]
    }
}
