// The text that Prometheus reads (exposition format 0.0.4):
//
//   # TYPE daybook_http_requests_total counter
//   daybook_http_requests_total{app="dozzi",route="check",status="200"} 12
//   # TYPE daybook_http_request_seconds histogram
//   daybook_http_request_seconds_bucket{app="dozzi",route="check",le="0.001"} 11
//   …
//   daybook_http_request_seconds_bucket{app="dozzi",route="check",le="+Inf"} 12
//   daybook_http_request_seconds_sum{app="dozzi",route="check"} 0.0061
//   daybook_http_request_seconds_count{app="dozzi",route="check"} 12

import CoreMetrics
import DaybookEvents
import Synchronization

/// Keeps metrics of swift-metrics and writes them as Prometheus reads them.
///
/// Every series that was ever asked for stays; who makes labels sees to it that they are few.
final class PrometheusRegistry: MetricsFactory {

    private struct Family {
        var kind: PrometheusSeries.Kind
        /// By their labels as they are written.
        var series: [String: PrometheusSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// - Parameter dimensions: In the order in which they are shown.
    private func series(
        _ name: String, _ kind: PrometheusSeries.Kind, _ dimensions: [(String, String)],
        bounds: [Double]? = nil
    ) -> PrometheusSeries {
        let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return families.withLock { families in
            if let found = families[name]?.series[labels] { return found }
            let made = PrometheusSeries(kind: kind, bounds: bounds)
            families[name, default: Family(kind: kind)].series[labels] = made
            return made
        }
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }

    /// Sets a series to a number that is counted elsewhere.
    func show(
        _ name: String, _ kind: PrometheusSeries.Kind, _ value: Int64,
        _ dimensions: [(String, String)]
    ) {
        series(name, kind, dimensions).set(value)
    }

    /// Sets a histogram to what is counted elsewhere (`PrometheusSeries.set`).
    func show(
        _ name: String, bounds: [Int64], counts: [Int64], sum: Int64,
        _ dimensions: [(String, String)]
    ) {
        series(name, .histogram, dimensions, bounds: bounds.map(Double.init))
            .set(counts: counts, sum: sum)
    }

    // MARK: Writing

    /// - Parameter app: Only series of this app, and those of none.
    func text(app: String) -> String {
        let families = families.withLock { $0 }
        let own = "app=\"\(Self.escaped(app))\""
        var text = ""
        for (name, family) in families.sorted(by: { precedesInBytes($0.key, $1.key) }) {
            let shown = family.series.filter { labels, _ in
                !labels.contains("app=\"") || labels.hasPrefix(own)
            }
            if shown.isEmpty { continue }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in shown.sorted(by: { precedesInBytes($0.key, $1.key) }) {
                text += series.text(name, labels)
            }
        }
        return text
    }

    // MARK: swift-metrics

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, .counter, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, .gauge, dimensions)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        series(label, aggregate ? .histogram : .gauge, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, .histogram, dimensions)
    }

    // A series goes on to be shown after its last holder has let it go: a counter must not fall.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
