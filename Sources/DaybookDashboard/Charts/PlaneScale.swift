package import DaybookAudit

/// Where a time is on the plane of two clocks.
///
/// Upwards a time of knowledge is drawn either to scale, or with all rows of equal height: where a history was brought
/// in at once, its rows lie within seconds and would be one line.
package struct PlaneScale {
    package enum Kind: String, CaseIterable {
        case time, rows
    }

    static let width = 720.0
    static let height = 420.0
    static let left = 64.0
    static let right = 12.0
    static let top = 12.0
    static let bottom = 40.0

    package let kind: Kind
    let valid: Range<Int64>
    /// Ascending times of knowledge and where they are, from the bottom upwards.
    package let knots: [(time: Int64, y: Double)]

    /// - Parameters:
    ///   - end: The time of knowledge at the upper edge.
    ///   - kind: `nil`: to scale, unless that hides most of the rows.
    package init(_ plane: BeliefPlane, end: Int64, kind: Kind? = nil) {
        valid = plane.valid
        // What was recorded before anything of the customer is of catalogs and others, and lies below the edge.
        let own = plane.rows.first { !$0.events.isEmpty && $0.recordedAt > Int64.min }
        let start = min(plane.valid.lowerBound, own?.recordedAt ?? end)
        let times = plane.rows.map(\.recordedAt).filter { $0 > start && $0 < end }
        let span = Double(max(1, end - start))
        // A row that is lower than two pixels is not seen.
        let hidden = zip(times, times.dropFirst() + [end]).count {
            Double($1 - $0) / span * Self.depth < 2
        }
        self.kind = kind ?? (hidden * 2 > times.count ? .rows : .time)
        var knots = [(start, Self.height - Self.bottom)]
        if self.kind == .rows {
            let step = Self.depth / Double(times.count + 1)
            for (index, time) in times.enumerated() where time > knots[knots.count - 1].0 {
                knots.append((time, Self.height - Self.bottom - step * Double(index + 1)))
            }
        }
        if end > knots[knots.count - 1].0 { knots.append((end, Self.top)) }
        self.knots = knots.map { ($0.0, $0.1) }
    }

    private static var depth: Double { height - bottom - top }

    /// Of a valid time, held within the plane.
    package func x(_ instant: Int64) -> Double {
        let held = min(max(instant, valid.lowerBound), valid.upperBound)
        let span = Double(max(1, valid.upperBound - valid.lowerBound))
        return Self.left
            + Double(held - valid.lowerBound) / span * (Self.width - Self.left - Self.right)
    }

    /// Of a time of knowledge, held within the plane.
    package func y(_ instant: Int64) -> Double {
        guard let first = knots.first, let last = knots.last else { return Self.top }
        if instant <= first.time { return first.y }
        if instant >= last.time { return last.y }
        let upper = knots.firstIndex { $0.time > instant } ?? knots.count - 1
        let (below, above) = (knots[upper - 1], knots[upper])
        let part = Double(instant - below.time) / Double(max(1, above.time - below.time))
        return below.y + (above.y - below.y) * part
    }

    /// What the page's script needs to turn a place into a time: `time,y` of each knot.
    var knotText: String {
        knots.map { "\($0.time),\(SVG.number($0.y))" }.joined(separator: " ")
    }
}
