import Daybook
import DaybookAudit

/// The plane of two clocks: valid time to the right, what was known upwards, filled where it was allowed.
struct PlaneChart {
    let plane: BeliefPlane
    let scale: PlaneScale
    /// The moment that the page shows.
    let at: Int64
    let knownAt: Int64

    /// Beyond so many the smallest ones are left out; the table has all.
    private static let pointsMax = 300

    func svg() -> String {
        var svg = SVG(
            width: PlaneScale.width, height: PlaneScale.height,
            title:
                "\(plane.name) of \(plane.subject): valid time to the right, what was known upwards. Filled is allowed, blank is not. The table below has the same intervals.",
            kind: "plane")
        rectangles(&svg)
        grid(&svg)
        var places = LabelPlaces()
        diagonal(&svg, &places)
        events(&svg, &places)
        square(&svg)
        svg.label(
            "valid time: what was so then →", PlaneScale.width - PlaneScale.right,
            PlaneScale.height - 4, anchor: .end)
        svg.label("↑ known at", PlaneScale.left, PlaneScale.height - 4)
        return svg.finished
    }

    private func bounds(_ rows: Range<Int>) -> (low: Int64, high: Int64) {
        let low = plane.rows[rows.lowerBound].recordedAt
        let high =
            rows.upperBound < plane.rows.count ? plane.rows[rows.upperBound].recordedAt : Int64.max
        return (low, high)
    }

    private func rectangles(_ svg: inout SVG) {
        let most = plane.rectangles.compactMap { $0.answer?.remaining }.max() ?? 0
        for rectangle in plane.rectangles {
            let (low, high) = bounds(rectangle.rows)
            let (x1, x2) = (
                scale.x(rectangle.valid.lowerBound), scale.x(rectangle.valid.upperBound)
            )
            let (y1, y2) = (scale.y(high), scale.y(low))
            // Finer than a pixel; the table has it.
            if x2 - x1 < 0.3 || y2 - y1 < 0.3 { continue }
            svg.rectangle(
                Self.kind(rectangle.answer, most), x1, y1, x2 - x1, y2 - y1,
                data: [
                    ("data-word", BeliefPlane.word(rectangle.answer)),
                    ("data-from", String(rectangle.valid.lowerBound)),
                    ("data-until", String(rectangle.valid.upperBound)),
                    ("data-low", String(low)), ("data-high", String(high)),
                ])
        }
    }

    /// How full the colour is: the more units are left, the fuller.
    private static func kind(_ answer: BeliefPlane.Answer?, _ most: Int64) -> String {
        guard let answer else { return "cell none" }
        guard answer.allowed else { return "cell no" }
        guard let remaining = answer.remaining, most > 0 else { return "cell yes" }
        return "cell yes left\(max(1, min(4, (remaining * 4 + most - 1) / most)))"
    }

    private func grid(_ svg: inout SVG) {
        let bottom = PlaneScale.height - PlaneScale.bottom
        for tick in TimeTicks.ticks(scale.valid, count: 6) {
            let x = scale.x(tick.instant)
            svg.line("rule", x, PlaneScale.top, x, bottom)
            svg.label(tick.text, x + 3, bottom + 14)
        }
        if scale.kind == .rows {
            // Every row is labelled where there is room for it: by its day, and by its time where the day is the same.
            var last = (y: Double.infinity, day: "")
            for knot in scale.knots where last.y - knot.y >= 18 {
                let day = PageTime.day(knot.time)
                svg.line(
                    "rule", PlaneScale.left, knot.y, PlaneScale.width - PlaneScale.right, knot.y)
                svg.label(
                    day == last.day ? PageTime.clock(knot.time) : day, PlaneScale.left - 6,
                    knot.y + 3, anchor: .end)
                last = (knot.y, day)
            }
        } else if let first = scale.knots.first, let last = scale.knots.last, first.time < last.time
        {
            for tick in TimeTicks.ticks(first.time..<last.time, count: 6) {
                let y = scale.y(tick.instant)
                svg.line("rule", PlaneScale.left, y, PlaneScale.width - PlaneScale.right, y)
                svg.label(tick.text, PlaneScale.left - 6, y + 3, anchor: .end)
            }
        }
    }

    /// What people were really answered: of each moment what was known at that moment.
    private func diagonal(_ svg: inout SVG, _ places: inout LabelPlaces) {
        guard let first = scale.knots.first?.time, let last = scale.knots.last?.time else { return }
        let low = max(first, plane.valid.lowerBound)
        let high = min(last, plane.valid.upperBound)
        guard low < high else { return }
        svg.polyline("diagonal", path(low, high))
        for difference in plane.differences {
            let range = difference.range.clamped(to: low..<high)
            guard !range.isEmpty else { continue }
            svg.polyline(
                difference.told?.allowed == true ? "told yes" : "told no",
                path(range.lowerBound, range.upperBound))
        }
        let longest = plane.lasting.max {
            $0.range.upperBound - $0.range.lowerBound < $1.range.upperBound - $1.range.lowerBound
        }
        guard let longest else { return }
        let x = scale.x(longest.range.upperBound)
        let isLeft = x > PlaneScale.width / 2
        let place = LabelPlaces.Place(
            text: PlaneWords.difference(longest, plane), x: x + (isLeft ? -14 : 14),
            y: scale.y(longest.range.upperBound), isLeft: isLeft)
        guard let free = places.take(place, offsets: [16, -8, 30]) else { return }
        svg.label(
            free.text, free.x, free.y,
            longest.told?.allowed == true ? "label wait" : "label bad",
            anchor: isLeft ? .end : .start)
    }

    /// The line on which both clocks are the same; it bends where the scale does.
    private func path(_ low: Int64, _ high: Int64) -> [(Double, Double)] {
        let bends = scale.knots.map(\.time).filter { $0 > low && $0 < high }
        return ([low] + bends + [high]).map { (scale.x($0), scale.y($0)) }
    }

    private func events(_ svg: inout SVG, _ places: inout LabelPlaces) {
        let points = plane.rows.flatMap { row in row.events.map { (row.recordedAt, $0) } }
            .suffix(Self.pointsMax)
        for (recordedAt, entry) in points {
            let happened = entry.event.draft.occurredAt ?? entry.event.recordedAt
            guard plane.valid.contains(happened) else { continue }
            let known = recordedAt == Int64.min ? entry.event.recordedAt : recordedAt
            let (x, y) = (scale.x(happened), scale.y(known))
            let kind = entry.isVoid ? "event void" : entry.isLate ? "event late" : "event"
            svg.add(
                "circle", kind, [("cx", x), ("cy", y), ("r", 4)],
                title:
                    "@\(entry.event.position) \(entry.label), happened \(PageTime.text(happened)), recorded \(PageTime.text(entry.event.recordedAt))"
            )
            let isLeft = x > PlaneScale.width - 160
            let place = LabelPlaces.Place(
                text: entry.label, x: x + (isLeft ? -8 : 8), y: y, isLeft: isLeft)
            guard let free = places.take(place, offsets: [-7, 14, -20, 27]) else { continue }
            svg.label(
                entry.label, free.x, free.y, "label ink", anchor: isLeft ? .end : .start)
        }
    }

    private func square(_ svg: inout SVG) {
        let (x, y) = (scale.x(at), scale.y(knownAt))
        let bottom = PlaneScale.height - PlaneScale.bottom
        svg.line("cross", x, PlaneScale.top, x, bottom)
        svg.line("cross", PlaneScale.left, y, PlaneScale.width - PlaneScale.right, y)
        svg.rectangle("square", x - 5, y - 5, 10, 10)
    }
}

/// What a plane says, in words.
enum PlaneWords {
    static func tone(_ answer: BeliefPlane.Answer?) -> String {
        answer.map { $0.allowed ? "good" : "bad" } ?? "sub"
    }

    /// `25 h 12 min told no: renewed, recorded late`.
    static func difference(_ difference: BeliefPlane.Difference, _ plane: BeliefPlane) -> String {
        let time = Words.duration(difference.range.upperBound - difference.range.lowerBound)
        let told = difference.told.map { $0.allowed ? "told yes" : "told no" } ?? "told nothing"
        return "\(time) \(told): \(plane.cause(ofRow: difference.row))"
    }
}

extension BeliefPlane {
    /// Stretches in which people were told otherwise for at least a minute: what is shorter is the way that news has.
    var lasting: [Difference] {
        differences.filter { $0.range.upperBound - $0.range.lowerBound >= 60_000 }
    }
}
