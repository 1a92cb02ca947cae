import Daybook
import DaybookDomain
import DaybookServer

/// What pages about numbers have in common: their filters, periods and files.
enum NumbersPart {
    /// The fields of a page's address that make its question, beside its moment.
    static let metricNames = ["from", "until"] + RequestFields.metricRuleNames
    static let funnelNames = ["from", "until"] + RequestFields.funnelRuleNames

    /// What pages of metrics have in common: how to ask otherwise, and how to ask elsewhere.
    static func model(_ call: PageCall, _ request: MetricsRequest, _ catalog: Catalog?) -> Model {
        [
            "back": call.link(call.address("/metrics")), "choices": resolutions(call, request),
            "filters": filters(call, catalog), "downloads": downloads(call), "has_downloads": true,
            "command": "daybook metrics \(request.metrics.joined(separator: " "))\(options(call))",
            "request": call.request("/metrics/\(request.metrics.joined(separator: ","))"),
        ]
    }

    /// How long the periods are, as links.
    private static func resolutions(_ call: PageCall, _ request: MetricsRequest) -> [Model] {
        MetricBuckets.Resolution.allCases.map(\.rawValue).map { by in
            [
                "name": by, "href": call.link(changing: "by", to: by == "month" ? nil : by),
                "current": request.chosenResolution.rawValue == by,
            ]
        }
    }

    /// The form of the filters of metrics.
    private static func filters(_ call: PageCall, _ catalog: Catalog?) -> Model {
        let products = (catalog?.products ?? []).map(\.id)
        let experiments = (catalog?.experiments ?? []).map(\.name)
        let refunds = MetricRules.Refunds.allCases.map(\.rawValue)
        return form(
            call,
            range
                + [
                    ("products", "Product", "", products),
                    ("countries", "Country", "such as DE, or DE,AT", nil),
                    ("cohort", "First seen in", "such as 2026-03", nil),
                    ("experiment", "Experiment", "", experiments),
                    ("variant", "Variant", "of the experiment", nil),
                    ("catalog_version", "Catalog version", "that rules for the customer", nil),
                    ("currency", "In the currency", "such as EUR, by recorded rates", nil),
                    ("refunds", "Refunds", "", refunds),
                    ("tz", "Time zone", "such as Europe/Amsterdam", nil),
                ])
    }

    /// The form of the filters of funnels.
    static func funnelFilters(_ call: PageCall) -> Model {
        form(
            call,
            range + [
                ("countries", "Country", "such as DE, or DE,AT", nil),
                ("cohort", "First seen in", "such as 2026-03", nil),
                ("catalog_version", "Catalog version", "that rules for the customer", nil),
                ("per", "Of", "", FunnelRules.Unit.allCases.map(\.rawValue)),
                ("window", "Within", "such as P7D", nil),
                ("experiment", "Experiment", "whose variants are told apart", nil),
            ])
    }

    private typealias Entry = (name: String, label: String, hint: String, choices: [String]?)

    private static let range: [Entry] = [
        ("from", "From", "such as 2026-01-01", nil), ("until", "Before", "such as 2026-04-01", nil),
    ]

    private static func form(_ call: PageCall, _ entries: [Entry]) -> Model {
        let names = entries.map(\.name)
        let fields = entries.map { entry in
            FormField(
                name: entry.name, label: entry.label, value: call.kept(entry.name) ?? "",
                hint: entry.hint, choices: entry.choices.map { choices(entry, $0, call) },
                none: "all")
        }
        let active = call.kept.filter { names.contains($0.0) }
        let others =
            call.kept.filter { !names.contains($0.0) }.map { ($0.0, Optional($0.1)) }
            + call.clocks.parameters
        return [
            "path": call.path, "fields": fields.map(\.model),
            "active": active.map { "\(Words.spaced($0.0)) \($0.1)" }.joined(separator: ", "),
            "others": FormField.hidden(others), "clear": Link(call.path, others).text,
        ]
    }

    /// What is chosen stays a choice, also where the newest catalog does not have it and where there are several.
    private static func choices(_ entry: Entry, _ own: [String], _ call: PageCall) -> [String] {
        let value = call.kept(entry.name) ?? ""
        return [""] + own + (value.isEmpty || own.contains(value) ? [] : [value])
    }

    /// The same numbers as files.
    static func downloads(_ call: PageCall) -> [Model] {
        NumbersFile.allCases.map { file in
            ["name": file.words, "href": call.link(changing: "form", to: file.rawValue)]
        }
    }

    /// The options of a command that ask the question of a page.
    static func options(_ call: PageCall) -> String {
        // The command has one product and country an option, and these names.
        let names = ["products": "product", "countries": "country"]
        var options = ""
        for (name, value) in call.exact {
            let option = "--" + (names[name] ?? name).replacing("_", with: "-")
            let values = names[name] == nil ? [value] : value.split(separator: ",").map(String.init)
            for value in values { options += " \(option) \(ShellText.quoted(value))" }
        }
        return options + call.clocks.options
    }
}

/// The form of a file with numbers.
enum NumbersFile: String, CaseIterable {
    case csv, ndjson, json

    var words: String {
        switch self {
        case .csv: "CSV"
        case .ndjson: "JSON lines"
        case .json: "JSON"
        }
    }

    private var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8; header=present"
        case .ndjson: "application/x-ndjson"
        case .json: "application/json"
        }
    }

    func bytes(of rows: some NumberRows) -> [UInt8] {
        switch self {
        case .csv: Array(rows.csv.utf8)
        case .ndjson: Array(rows.lines.utf8)
        case .json: rows.json.canonicalBytes + [0x0A]
        }
    }

    /// - Parameter name: Of plain characters.
    func answer(_ name: String, _ bytes: [UInt8]) -> Answer {
        .file("\(name).\(rawValue)", mediaType: mediaType, bytes)
    }
}

extension Answer {
    /// What a browser keeps under a name.
    static func file(_ name: String, mediaType: String, _ bytes: [UInt8]) -> Answer {
        var answer = Answer.bytes(bytes, mediaType: mediaType)
        answer.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        answer.headers[.cacheControl] = "no-store"
        return answer
    }
}
