import DaybookDomain
package import DaybookEvents

/// The shapes of frozen reports.
extension FrozenReport {
    /// All but the document.
    package var json: JSONObject {
        [
            "name": .string(name), "env": .string(environment.name),
            "position": .integer(position), "recorded_at": .integer(recordedAt),
            "known_position": .integer(knownPosition), "place": .string(place),
            "at": .integer(at), "engine": .string(engine), "from": .orNull(request?.from),
            "until": .orNull(request?.until),
            "by": .orNull(request?.chosenResolution.rawValue), "tz": .orNull(request?.zone),
            "metrics": .array((request?.metrics ?? []).map { .string($0) }),
            "document_sha256": .string(digest), "actor": .orNull(actor),
            "reason": .orNull(reason), "void": .bool(isVoid),
        ]
    }
}

extension MetricSeries.Value {
    fileprivate var sides: JSONObject {
        [
            "numerator": .integer(numerator), "denominator": .integer(denominator),
            "value_micros": .orNull(micros),
        ]
    }
}

extension ReportComparison {
    package var json: JSONObject {
        [
            "report": .object(report.json), "same": .bool(isSame),
            "same_history": .bool(isOfThisHistory),
            "differences": .objects(differences.map(\.json)),
            "contributions": .array(
                contributions.map { contribution in
                    [
                        "customer": .orNull(contribution.subject),
                        "cause": .string(contribution.cause.rawValue),
                        "positions": .array(contribution.positions.map { .integer($0) }),
                        "changes": .array(contribution.changes.map { .object(json($0)) }),
                    ]
                }),
            "causes": .array(
                sumsByCause.map { cause, changes in
                    [
                        "cause": .string(cause.rawValue),
                        "changes": .array(changes.map { .object(json($0)) }),
                    ]
                }),
            "unexplained": .array(unexplained.map { .object(json($0)) }),
            "as_of": .object(current.asOf.json),
        ]
    }

    /// A side is a whole number, or so many parts of one.
    private func json(_ change: MetricChange) -> JSONObject {
        [
            "metric": .string(change.metric),
            "period": .string(current.periods[change.bucket].name),
            "group": .string(change.group),
            "age": .orNull(change.age.map { Int64($0) }),
            "numerator": .whole(change.numerator.number),
            "numerator_parts": .whole(change.numerator.parts),
            "denominator": .whole(change.denominator.number),
            "denominator_parts": .whole(change.denominator.parts),
        ]
    }
}

extension ReportComparison.Difference {
    fileprivate var json: JSONObject {
        [
            "metric": .string(metric.name), "period": .string(period), "group": .string(group),
            "age": .orNull(age.map { Int64($0) }),
            "frozen": .orNull(frozen?.sides), "recomputed": .orNull(recomputed?.sides),
            "current": .orNull(current?.sides),
        ]
    }
}
