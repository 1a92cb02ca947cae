import Daybook
import DaybookAudit
import DaybookEvents
import DaybookServer

/// What would be so about a customer had other things happened, or did another catalog rule: beside the customer's
/// page, at the moment that the page shows.
struct WhatIfPanel: Sendable {
    /// The parameters of the page that belong to it; with any of them it is there.
    static let names = ["what_if", "without", "with", "rules", "like"]
    /// The fragment of an address that leads to it.
    static let anchor = "#what-if"
    /// How many of the customers concerned are named.
    private static let topCount = 20

    let call: PageCall
    let subject: String
    /// Positions of the events that are left out.
    let without: [Int64]
    /// Events that are put in, one a line; `nil`: none.
    let lines: [UInt8]?
    /// The published catalog that rules in the place of all; `nil`: they stay.
    let rules: Int64?
    /// The position of an event whose like the form begins with.
    let like: Int64?
    /// Why the address says nothing that can be asked.
    private var problem: Problem?

    /// How far the answer is.
    enum Outcome: Sendable {
        case nothingAsked
        case refused(Problem)
        case running
        case done(WhatIfReport)
    }

    /// - Returns: `nil` where the page has none.
    init?(_ call: PageCall, _ subject: String, _ drafts: Drafts) {
        guard Self.names.contains(where: { call.kept($0) != nil }) else { return nil }
        self.call = call
        self.subject = subject
        let positions = call.kept("without")?.split(separator: ",") ?? []
        without = positions.compactMap { Int64($0) }
        rules = call.kept("rules").flatMap { Int64($0) }
        like = call.kept("like").flatMap { Int64($0) }
        let draft = call.kept("with")
        lines = draft.flatMap { drafts.document($0, app: call.app ?? "") }
        if without.count < positions.count {
            problem = Problem.unprocessable(
                "bad_position",
                "\"without\" has something that is no position; write them as 12,15")
        } else if rules == nil, let text = call.kept("rules") {
            problem = Problem.notFound(
                "unknown_version", "there is no catalog \(ShownText.escaped(text))")
        } else if draft != nil, lines == nil {
            problem = Problem.notFound(
                "unknown_draft",
                "the events that were put in are not kept any more; hand them over again")
        }
    }

    /// What keeps the address from being asked, or that nothing is asked; `nil`: it is to be asked.
    var early: Outcome? {
        if let problem { return .refused(problem) }
        return without.isEmpty && lines == nil && rules == nil ? .nothingAsked : nil
    }

    /// - Throws: `LedgerError`, `Problem`.
    func report(
        _ ledger: Ledger, progress: @Sendable (Int, Int) throws -> Void
    ) throws -> WhatIfReport {
        var what = WhatIf()
        what.drops = try without.map { position in
            guard let event = try ledger.event(at: position), let key = event.draft.source.key
            else {
                throw Problem.notFound("unknown_event", "there is no event at position \(position)")
            }
            return WhatIf.Target(
                source: event.draft.source.kind, key: key, environment: event.draft.environment)
        }
        what.catalog = try rules.map { try ledger.catalogDocument(version: $0).document }
        if let lines { try what.insert(lines: lines, app: ledger.app) }
        return try ledger.whatIf(
            what, of: subject, environment: call.environment, moment: call.moment,
            topCountMax: Self.topCount, workers: 1
        ) { try progress(Int(clamping: $0), Int(clamping: $1)) }
    }

    // MARK: What is shown

    func model(_ ledger: Ledger, _ outcome: Outcome) throws -> Model {
        var model: Model = [
            "close": Link(path, parameters { !Self.names.contains($0) }).text,
            "path": path + "/what-if", "command": command,
            "left_out": try without.map { try leftOut($0, ledger) },
            "catalogs": try catalogs(ledger), "lines": try text(ledger),
            "kept": FormField.hidden(parameters { !["with", "rules", "like"].contains($0) }),
        ]
        switch outcome {
        case .nothingAsked: model["command"] = nil
        case .refused(let problem):
            model["refused"] = [
                "detail": problem.detail, "code": problem.code,
                "problems": problem.problems.map { ["reason": $0.reason] },
            ]
        case .running: model["running"] = true
        case .done(let report): model["answer"] = answer(report)
        }
        return model
    }

    private func answer(_ report: WhatIfReport) -> Model {
        var model: Model = [
            "same": report.changed == 0, "as_of": report.asOf.sentence,
            "customers": report.top.map { customer -> Model in
                [
                    "name": customer.subject, "href": call.link(call.address(of: customer.subject)),
                    "sentences": customer.sentences.map { ["text": $0] as Model },
                ]
            },
        ]
        if report.changed > report.top.count {
            model["more"] = Words.grouped(report.changed - report.top.count)
        }
        return model
    }

    private func leftOut(_ position: Int64, _ ledger: Ledger) throws -> Model {
        [
            "position": position, "href": call.event(position),
            "type": try ledger.event(at: position)?.draft.type.rawValue ?? "",
            "back": link("without", joined(without.filter { $0 != position })),
        ]
    }

    /// Which catalogs there are to be tried.
    private func catalogs(_ ledger: Ledger) throws -> [Model] {
        let versions = try ledger.catalogs().versions.map(\.version)
        return [["value": "", "words": "as published", "current": rules == nil]]
            + Set(versions).sorted().map { version -> Model in
                [
                    "value": "\(version)", "words": "catalog \(version)",
                    "current": rules == version,
                ]
            }
    }

    /// What the form has: what was put in before, and what is to be like another event.
    private func text(_ ledger: Ledger) throws -> String {
        var text = lines.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let like, let event = try ledger.event(at: like) {
            if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
            text += JSONValue.object(Self.another(event)).canonicalText
        }
        return text
    }

    /// An event like a recorded one under a name of its own.
    private static func another(_ event: RecordedEvent) -> JSONObject {
        let given = ["position", "recorded_at", "sequence", "app"]
        var json = JSONObject(
            EventJSON.object(of: event).members.filter { !given.contains($0.name) })
        json["source"] = [
            "kind": .string("native"), "key": .string("what-if/\(event.position)"),
        ]
        return json
    }

    // MARK: Links

    private var path: String { call.address(of: subject) }

    /// What a row of the timeline offers.
    func links(of position: Int64) -> Model {
        if without.contains(position) {
            return [
                "is_left_out": true,
                "put_back": link("without", joined(without.filter { $0 != position })),
            ]
        }
        return [
            "leave_out": link("without", joined(without + [position])),
            "like": link("like", "\(position)"),
        ]
    }

    private func joined(_ positions: [Int64]) -> String? {
        positions.isEmpty ? nil : positions.sorted().map(String.init).joined(separator: ",")
    }

    /// The customer's page with another choice.
    private func link(_ name: String, _ value: String?) -> String {
        var rest = parameters { $0 != name && $0 != "like" && $0 != "what_if" }
        rest.append((name, value))
        // What was taken back last leaves the panel open.
        if !rest.contains(where: { Self.names.contains($0.0) && $0.1 != nil }) {
            rest.append(("what_if", "open"))
        }
        return Link(path, rest).text + Self.anchor
    }

    private func parameters(_ isWanted: (String) -> Bool) -> [(String, String?)] {
        call.kept.filter { isWanted($0.0) }.map { ($0.0, Optional($0.1)) } + call.clocks.parameters
    }

    private var command: String {
        var words = ["daybook replay --subject \(ShellText.quoted(subject))"]
        words += without.map { "--drop \($0)" }
        if lines != nil { words.append("--insert events.ndjson") }
        if let rules {
            words.insert("daybook catalog show \(rules) > catalog-\(rules).yaml &&", at: 0)
            words.append("--catalog catalog-\(rules).yaml")
        }
        return words.joined(separator: " ") + call.clocks.options
    }
}
