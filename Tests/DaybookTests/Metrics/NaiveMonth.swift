import DaybookEvents

/// What plain loops over the exported lines of a ledger count, without a fold of the ledger: who is who, and what each
/// saw first, in production.
struct NaiveMonth {
    struct Row {
        let type: String
        let subject: String?
        let at: Int64
        let source: String
        let key: String
        var data: JSONObject

        func text(_ name: String) -> String? { data[name]?.text }
    }

    private(set) var rows: [Row] = []
    /// Of every id the one that stands for its person.
    private var parents: [String: String] = [:]

    /// - Parameter lines: What `export` wrote, as far as it was known.
    init(_ lines: [[UInt8]]) throws {
        var all: [Row] = []
        for line in lines {
            guard let object = try JSONReader.read(line).object, let data = object["data"]?.object,
                let source = object["source"]?.object, let at = object["occurred_at"]?.integer
            else { continue }
            guard object["environment"]?.text == "production" else { continue }
            all.append(
                Row(
                    type: object["type"]?.text ?? "", subject: object["subject"]?.text, at: at,
                    source: source["kind"]?.text ?? "", key: source["key"]?.text ?? "",
                    data: data))
        }
        var void: Set<[String]> = []
        var patches: [[String]: JSONObject] = [:]
        for row in all where row.type.hasPrefix("correction.") {
            guard let target = row.data["target"]?.object, let kind = target["source"]?.text,
                let key = target["key"]?.text
            else { continue }
            if row.type == "correction.voided" { void.insert([kind, key]) }
            if let patch = row.data["patch"]?.object { patches[[kind, key]] = patch }
        }
        for var row in all where !void.contains([row.source, row.key]) {
            for member in patches[[row.source, row.key]]?.members ?? [] {
                row.data[member.name] = member.value
            }
            rows.append(row)
        }
        rows.sort { ($0.at, $0.key) < ($1.at, $1.key) }
        for row in rows where row.type == "subject.aliased" {
            let (one, other) = (
                person(row.text("alias") ?? ""), person(row.text("canonical") ?? "")
            )
            if one != other { parents[one] = other }
        }
    }

    func person(_ id: String) -> String {
        var id = id
        while let parent = parents[id] { id = parent }
        return id
    }

    /// The variant that each person saw first, of an experiment.
    func exposures(_ experiment: String) -> [String: (variant: String, at: Int64)] {
        var found: [String: (variant: String, at: Int64)] = [:]
        for row in rows
        where row.type == "experiment.exposed" && row.text("experiment") == experiment {
            let person = person(row.subject ?? "")
            if found[person] == nil { found[person] = (row.text("variant") ?? "", row.at) }
        }
        return found
    }
}
