package import DaybookDomain
package import DaybookEvents

/// The shapes of funnels, as catalogs define them and as customers went through them.
extension [Funnel] {
    package var json: JSONObject {
        [
            "funnels": .array(
                map {
                    [
                        "name": .string($0.name), "steps": .texts($0.steps.map(\.name)),
                        "window_ms": .integer($0.windowMilliseconds),
                    ]
                })
        ]
    }
}

extension FunnelReport {
    package var json: JSONObject {
        [
            "funnel": .string(name), "window_ms": .integer(windowMilliseconds),
            "order": .string(order.rawValue), "per": .string(rules.unit.rawValue),
            "entry": .string(rules.entry.rawValue), "by": .string(rules.breakdown.rawValue),
            "touch": .string(rules.touch.rawValue), "entered": .count(entered),
            "steps": json(steps, entered),
            "groups": .array(
                groups.map {
                    [
                        "name": .string($0.name), "entered": .count($0.entered),
                        "steps": json($0.steps, $0.entered),
                    ]
                }),
        ]
    }

    /// Shares are in thousandths, because no number of ours is a fraction. In any order no step comes before another.
    private func json(_ steps: [Step], _ entered: Int) -> JSONValue {
        .array(
            steps.indices.map { index in
                let step = steps[index]
                let before =
                    order == .anyOrder ? 0 : index > 0 ? steps[index - 1].count : step.count
                return [
                    "name": .string(step.name), "event": .string(step.event.rawValue),
                    "count": .count(step.count),
                    "of_first_permille": .orNull(Self.permille(step.count, of: entered)),
                    "of_previous_permille": .orNull(Self.permille(step.count, of: before)),
                    "dropped": .count(max(0, before - step.count)),
                    "median_ms": .orNull(step.medianMilliseconds),
                    "p90_ms": .orNull(step.p90Milliseconds),
                ]
            })
    }

    /// Rounded to the nearest; `nil` of nothing.
    package static func permille(_ part: Int, of whole: Int) -> Int64? {
        whole == 0 ? nil : Int64((part * 1_000 + whole / 2) / whole)
    }
}
