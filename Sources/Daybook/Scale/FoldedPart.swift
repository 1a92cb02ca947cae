public import DaybookDomain
import DaybookEvents

/// What a fold made of some cases; parts add up to the whole in any order and any grouping.
///
/// One line of canonical JSON, `{"part":{…},"sha256":…}`: counts, the sum of the digests, also by bucket, and the sums
/// behind metrics and funnels, before anything is divided or rounded. `sha256` is the digest of the canonical bytes of
/// `part`.
public struct FoldedPart: Sendable, Equatable {
    /// What this build writes and reads.
    public static let format: Int64 = 1

    /// Of the definition of a question: the offsets of its zone, which only the question may name.
    static let zoneMark = "tz_mark"

    /// The sums behind the values of metrics.
    struct Metrics: Sendable, Equatable {
        /// The question, as frozen reports keep it.
        var definition: JSONObject
        var environment: Environment
        var subjectCount: Int
        var sums: MetricSums
    }

    /// The sums behind one funnel.
    struct Funnel: Sendable, Equatable {
        /// The question (`FunnelRequest.definition`).
        var definition: JSONObject
        var sums: FunnelSums
    }

    /// The digest of the context by which it was folded.
    public var context: String
    /// Cases that were folded.
    public internal(set) var caseCount: Int64 = 0
    /// Events of these cases.
    public internal(set) var eventCount: Int64 = 0
    /// Aggregates of these cases that are in the digest.
    public internal(set) var aggregateCount: Int64 = 0
    /// The sum of the digests of these aggregates (rule 23).
    public internal(set) var digest = StateDigest()
    /// By which this ledger is compared with another one.
    var buckets = BucketSums()
    /// Which cases were folded.
    var cases = StateDigest()
    var metrics: Metrics?
    var funnels: [Funnel] = []

    /// Adds what was made of other cases.
    /// - Throws: `LedgerError.badInput` for a part that was folded by another context, or asked something else.
    public mutating func add(_ other: FoldedPart) throws {
        try LedgerError.require(
            context == other.context, "other_context", "the parts were folded by different contexts"
        )
        try LedgerError.require(
            metrics?.definition == other.metrics?.definition
                && metrics?.environment == other.metrics?.environment
                && funnels.map(\.definition) == other.funnels.map(\.definition)
                && funnels.map(\.sums.stepCount) == other.funnels.map(\.sums.stepCount),
            "other_question", "the parts answer different questions")
        caseCount += other.caseCount
        eventCount += other.eventCount
        aggregateCount += other.aggregateCount
        digest.add(other.digest)
        buckets.add(other.buckets)
        cases.add(other.cases)
        if let sums = other.metrics {
            metrics?.subjectCount += sums.subjectCount
            metrics?.sums.add(sums.sums)
        }
        for (index, funnel) in other.funnels.enumerated() { funnels[index].sums.add(funnel.sums) }
        let counts = [caseCount, eventCount, aggregateCount, Int64(metrics?.subjectCount ?? 0)]
        try LedgerError.require(
            counts.allSatisfy(Self.countRange.contains)
                && funnels.allSatisfy({ $0.sums.isPlausible })
                && (metrics?.sums.isPlausible ?? true),
            "damaged_part", "the parts count what there cannot be")
    }

    // MARK: Bytes

    /// Without LF.
    public var line: [UInt8] {
        let content = content
        let whole: JSONObject = [
            "part": .object(content), "sha256": .string(Self.digest(content)),
        ]
        return whole.canonicalBytes
    }

    private var content: JSONObject {
        var content: JSONObject = [
            "aggregates": .integer(aggregateCount),
            "buckets": .array(buckets.sums.map { .string($0.description) }),
            "cases": .integer(caseCount),
            "cases_digest": .string(cases.description),
            "context": .string(context), "digest": .string(digest.description),
            "events": .integer(eventCount), "format": .integer(Self.format),
        ]
        if let metrics {
            content["metrics"] = [
                "definition": .object(metrics.definition),
                "environment": .string(metrics.environment.name),
                "subjects": .count(metrics.subjectCount), "sums": metrics.sums.json,
            ]
        }
        if !funnels.isEmpty {
            content["funnels"] = .array(
                funnels.map {
                    ["definition": .object($0.definition), "sums": .object($0.sums.json)]
                })
        }
        return content
    }

    private static func digest(_ content: JSONObject) -> String {
        Digest.hexadecimal(Digest.sha256(content.canonicalBytes))
    }

    /// More of anything than any ledger has; thousands of parts still add up.
    fileprivate static let countRange: ClosedRange<Int64> = 0...1 << 50
}

extension FoldedPart {
    /// Reads a line.
    /// - Parameters:
    ///   - line: The bytes of one line, without its newline.
    ///   - number: Of the line in its input, for messages.
    /// - Throws: `LedgerError.badInput` for what is no part, or was cut off or changed.
    public init(reading line: [UInt8], number: Int) throws {
        func damaged(_ reason: String) -> LedgerError {
            FoldContext.bad(number, "damaged_part", reason)
        }
        let found = (try? JSONReader.read(line))?.object
        guard let found, let content = found["part"]?.object else {
            throw damaged("the line is nothing that \"daybook fold\" writes")
        }
        guard found["sha256"]?.text == Self.digest(content) else {
            throw damaged("the part was cut off or changed")
        }
        guard content["format"]?.integer == Self.format else {
            throw damaged("the part has a format that this version does not know")
        }
        guard let context = content["context"]?.text, let caseCount = content["cases"]?.integer,
            let events = content["events"]?.integer,
            let aggregates = content["aggregates"]?.integer,
            let digest = content["digest"]?.text.flatMap(StateDigest.init),
            let cases = content["cases_digest"]?.text.flatMap(StateDigest.init),
            let buckets = content["buckets"]?.array?.compactMap({
                $0.text.flatMap(StateDigest.init)
            }), buckets.count == BucketSums.count
        else { throw damaged("the part lacks a member") }
        guard [caseCount, events, aggregates].allSatisfy(Self.countRange.contains) else {
            throw damaged("the part counts what there cannot be")
        }
        self.init(
            context: context, caseCount: caseCount, eventCount: events,
            aggregateCount: aggregates, digest: digest, buckets: BucketSums(sums: buckets),
            cases: cases)
        if let metrics = content["metrics"]?.object {
            guard let read = Metrics(metrics) else {
                throw damaged("the part's metrics lack a member")
            }
            self.metrics = read
        }
        for funnel in content["funnels"]?.array ?? [] {
            guard let definition = funnel.object?["definition"]?.object,
                let sums = (funnel.object?["sums"]?.object).flatMap(FunnelSums.init)
            else { throw damaged("the part's funnels lack a member") }
            funnels.append(Funnel(definition: definition, sums: sums))
        }
    }
}

extension FoldedPart.Metrics {
    fileprivate init?(_ json: JSONObject) {
        guard let definition = json["definition"]?.object,
            let environment = json["environment"]?.text.flatMap(Environment.init(name:)),
            let subjects = json["subjects"]?.integer,
            FoldedPart.countRange.contains(subjects),
            let sums = json["sums"].flatMap(MetricSums.init)
        else { return nil }
        self.init(
            definition: definition, environment: environment, subjectCount: Int(subjects),
            sums: sums)
    }
}
