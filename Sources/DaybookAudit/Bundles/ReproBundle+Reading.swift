import DaybookEvents
import DaybookIngest

extension ReproBundle {
    /// Reads a whole file.
    /// - Throws: `.newer` for a format that this build does not know, else `.damaged` with what is wrong.
    public init(reading bytes: [UInt8]) throws(BundleProblem) {
        guard let end = bytes.firstIndex(of: 0x0A) else {
            throw .damaged("it ends within its first line")
        }
        let first = try Self.object(bytes[..<end], line: 1)
        guard let header = first["bundle"]?.object, let format = header["format"]?.integer else {
            throw .damaged("its first line does not tell its format")
        }
        guard format <= Self.format else {
            throw .newer(format: format, version: header["daybook"]?.text ?? "unknown")
        }
        guard format >= 1 else { throw .damaged("there is no format \(format)") }
        let rest = bytes[(end + 1)...]
        guard let digest = first["sha256"]?.text,
            digest == Self.digest(header.canonicalBytes, rest)
        else {
            throw .damaged("its digest is another: it was cut off or changed")
        }
        guard let app = header["app"]?.text, let at = header["at"]?.integer,
            let environment = (header["environment"]?.text).flatMap(Environment.init(name:)),
            let position = header["position"]?.integer, let version = header["daybook"]?.text,
            let count = header["events"]?.integer, let isRedacted = header["redacted"]?.bool,
            let projections = header["projections"]?.object
        else {
            throw .damaged("its first line lacks a member")
        }
        let lines = rest.split(separator: 0x0A)
        guard count >= 0, count <= lines.count else {
            throw .damaged("it has \(lines.count) lines of \(count) events")
        }
        self.init(
            app: app, environment: environment, at: at, position: position, version: version,
            projections: projections, isRedacted: isRedacted,
            drafts: try Self.drafts(lines.prefix(Int(count)), app), answers: [])
        for (index, line) in lines.enumerated().dropFirst(Int(count)) {
            let place = index + 2
            guard let answer = Answer(try Self.object(line, line: place)) else {
                throw .damaged("line \(place) is no answer")
            }
            answers.append(answer)
        }
    }

    private static func drafts(
        _ lines: ArraySlice<ArraySlice<UInt8>>, _ app: String
    ) throws(BundleProblem) -> [EventDraft] {
        var reader = NDJSONReader(app: app, isReported: false)
        let (events, problems) = reader.read(Array(lines.joined(separator: [0x0A])))
        if let problem = problems.first {
            throw .damaged("line \(problem.line + 1): \(problem.reason)")
        }
        return events.map(\.draft)
    }

    private static func object(
        _ line: ArraySlice<UInt8>, line number: Int
    ) throws(BundleProblem) -> JSONObject {
        do throws(JSONError) {
            if let object = try JSONReader.read(Array(line)).object { return object }
        } catch {
            throw .damaged("line \(number) is no JSON: \(error.reason)")
        }
        throw .damaged("line \(number) is no object")
    }
}
