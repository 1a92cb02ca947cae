/// The interval of Wilson's score for a share, with 95 % confidence: it holds for few and for extreme shares, too
/// (E. B. Wilson, 1927).
public struct WilsonInterval: Sendable, Equatable {
    /// In millionths, rounded to the nearest.
    public let lowerMicros: Int64
    /// In millionths, rounded to the nearest; 1,000,000 where all are successes.
    public let upperMicros: Int64

    /// The standard normal distribution's quantile of 0.975.
    private static let quantile = 1.959_963_984_540_054

    /// - Returns: `nil` where there is nothing to have a share of, or more than all of it.
    public init?(successes: Int64, of count: Int64) {
        guard count > 0, (0...count).contains(successes) else { return nil }
        let (number, share) = (Double(count), Double(successes) / Double(count))
        let square = Self.quantile * Self.quantile
        let middle = share + square / (2 * number)
        let spread =
            Self.quantile
            * (share * (1 - share) / number + square / (4 * number * number)).squareRoot()
        let scale = 1 + square / number
        func micros(_ value: Double) -> Int64 {
            Int64((min(max(value / scale, 0), 1) * 1_000_000).rounded())
        }
        lowerMicros = successes == 0 ? 0 : micros(middle - spread)
        upperMicros = successes == count ? 1_000_000 : micros(middle + spread)
    }
}
