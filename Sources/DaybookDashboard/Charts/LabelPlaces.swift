/// Keeps labels of a drawing from lying on one another: each takes the first place that is free, or is left out.
struct LabelPlaces {
    struct Place {
        var text: String
        var x: Double
        var y: Double
        /// Whether the text ends at `x` instead of beginning there.
        var isLeft: Bool

        /// Of 11 px text; wide enough for most texts.
        fileprivate var box: (left: Double, right: Double, top: Double, bottom: Double) {
            let width = Double(text.count) * 6
            let left = isLeft ? x - width : x
            return (left, left + width, y - 10, y + 3)
        }
    }

    private var taken: [Place] = []

    /// - Parameter offsets: How far below the place the text may stand, in the order of preference.
    mutating func take(_ place: Place, offsets: [Double]) -> Place? {
        for offset in offsets {
            var moved = place
            moved.y += offset
            let box = moved.box
            let isFree =
                box.top > 0
                && taken.allSatisfy { other in
                    let own = other.box
                    return box.right < own.left || box.left > own.right || box.bottom < own.top
                        || box.top > own.bottom
                }
            if isFree {
                taken.append(moved)
                return moved
            }
        }
        return nil
    }
}
