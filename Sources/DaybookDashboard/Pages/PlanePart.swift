import Daybook
import DaybookAudit

/// The plane of two clocks on a page: the drawing, what people were told otherwise, and the same as a table.
struct PlanePart {
    let call: PageCall
    let plane: BeliefPlane
    /// The moment of the page.
    let at: Int64
    let knownAt: Int64
    let scale: PlaneScale.Kind?

    /// The table of a page; all of them come by the command.
    static let rowsMax = 200

    var model: Model {
        let end = max(plane.asOf.at, (plane.rows.last?.recordedAt ?? 0) + 1)
        let scale = PlaneScale(plane, end: end, kind: scale)
        let chart = PlaneChart(plane: plane, scale: scale, at: at, knownAt: knownAt)
        var model: Model = [
            "svg": chart.svg(), "name": plane.name, "kind": plane.kind.rawValue,
            "knots": scale.knotText, "from": String(plane.valid.lowerBound),
            "until": String(plane.valid.upperBound), "left": SVG.number(PlaneScale.left),
            "right": SVG.number(PlaneScale.width - PlaneScale.right),
            "at": String(at), "known": String(knownAt),
            "differences": plane.differences.suffix(Self.rowsMax).reversed().map(row),
            "rows": plane.rectangles.suffix(Self.rowsMax).map(row),
            "scales": PlaneScale.Kind.allCases.map { kind -> Model in
                [
                    "name": kind == .time ? "to scale" : "row by row",
                    "href": call.link(changing: "scale", to: kind.rawValue),
                    "current": kind == scale.kind,
                ]
            },
        ]
        model["agrees"] = plane.differences.isEmpty
        let hidden = plane.rectangles.count - Self.rowsMax
        if hidden > 0 { model["hidden"] = Words.grouped(hidden) }
        if plane.passedCount > 0 { model["passed"] = Words.grouped(plane.passedCount) }
        return model
    }

    private func row(_ difference: BeliefPlane.Difference) -> Model {
        [
            "from": PageTime.model(difference.range.lowerBound) ?? [:],
            "until": PageTime.model(difference.range.upperBound) ?? [:],
            "duration": Words.duration(difference.range.upperBound - difference.range.lowerBound),
            "told": BeliefPlane.word(difference.told),
            "told_tone": PlaneWords.tone(difference.told),
            "hindsight": BeliefPlane.word(difference.hindsight),
            "hindsight_tone": PlaneWords.tone(difference.hindsight),
            "cause": plane.cause(ofRow: difference.row),
            "known_from": PageTime.model(plane.rows[difference.row].recordedAt) ?? [:],
            "href": call.address(call.path, at: difference.range.lowerBound),
        ]
    }

    private func row(_ rectangle: BeliefPlane.Rectangle) -> Model {
        var model: Model = [
            "from": PageTime.model(rectangle.valid.lowerBound) ?? [:],
            "until": PageTime.model(rectangle.valid.upperBound) ?? [:],
            "word": BeliefPlane.word(rectangle.answer), "tone": PlaneWords.tone(rectangle.answer),
            "cause": plane.cause(ofRow: rectangle.rows.lowerBound),
        ]
        let first = plane.rows[rectangle.rows.lowerBound].recordedAt
        model["known_from"] = PageTime.model(first) ?? ["text": "the beginning"]
        if rectangle.rows.upperBound < plane.rows.count {
            model["known_until"] = PageTime.model(plane.rows[rectangle.rows.upperBound].recordedAt)
        }
        return model
    }
}
