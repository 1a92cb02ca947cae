import Daybook
import DaybookAudit
import DaybookEvents
import DaybookServer

/// Who would be affected by another catalog.
struct WhatIfPage {
    let call: PageCall

    /// How many customers are named.
    static let topCount = 100

    /// What is asked, where anything is.
    enum Question: Sendable {
        case version(Int64)
        /// A catalog that was handed over.
        case draft([UInt8])
    }

    /// An answer with what the catalog itself says otherwise.
    struct Answer: Sendable {
        var report: WhatIfReport
        var changes: [JSONDifference]
    }

    static func answer(
        _ ledger: Ledger, _ question: Question, _ clocks: Clocks,
        progress: @Sendable (Int, Int) throws -> Void
    ) throws -> Answer {
        var what = WhatIf()
        switch question {
        case .version(let version):
            what.catalog = try ledger.catalogDocument(version: version).document
        case .draft(let document): what.catalog = document
        }
        let report = try ledger.whatIf(
            what, environment: clocks.environment, moment: clocks.moment, topCountMax: topCount,
            workers: 1
        ) { try progress(Int(clamping: $0), Int(clamping: $1)) }
        // Only of a catalog that could be read as one.
        var changes: [JSONDifference] = []
        let newest = try ledger.catalogs(knownAt: clocks.moment.knownAt).newest?.version
        if let document = what.catalog, let newest {
            changes = try ledger.catalogChanges(from: newest, to: document)
        }
        return Answer(report: report, changes: changes)
    }

    /// - Parameters:
    ///   - text: The catalog to be changed in the form; `nil`: there is no form.
    ///   - problem: Why the question was not answered.
    func page(
        _ question: Question?, _ state: PageJobs.State<Answer>?, text: String?,
        problem: Problem? = nil
    ) -> Frame.Page {
        var page = Frame.Page(
            title: "What if", template: "what-if", section: .catalog,
            model: [
                "back": call.link(call.address("/catalog")), "path": call.path,
                "title": "What if another catalog ruled", "environment": call.environment.name,
                "at": call.clocks.at ?? "", "known_at": call.clocks.knownAt ?? "",
            ])
        if let text { page.model["form"] = ["text": text] }
        if let problem {
            page.status = problem.status
            page.model["problem"] = problem.detail
            page.model["code"] = problem.code
            page.model["problems"] = problem.problems.map { ["reason": $0.reason] }
        }
        switch question {
        case .version(let version)?:
            page.model["title"] = "What if catalog \(version) ruled for all customers"
            page.model["command"] =
                "daybook catalog show \(version) > catalog-\(version).yaml && daybook replay --catalog catalog-\(version).yaml"
                + call.clocks.options
        case .draft?:
            page.model["command"] = "daybook replay --catalog catalog.yaml" + call.clocks.options
        case nil: break
        }
        guard let state, let answer = page.result(of: state) else { return page }
        page.model["answer"] = model(answer)
        return page
    }

    private func model(_ answer: Answer) -> Model {
        let report = answer.report
        var model: Model = [
            "changed": Words.grouped(report.changed),
            "customers": Words.count(report.customers, "customer"),
            "unaffected": report.changed == 0, "as_of": report.asOf.sentence,
            "conflicts": report.conflicts.map { ["text": $0] },
            "changes": answer.changes.map(\.row),
            "has_changes": !answer.changes.isEmpty,
            "has_features": !report.features.isEmpty, "has_meters": !report.meters.isEmpty,
            "has_shifts":
                !(report.features.isEmpty && report.meters.isEmpty
                && answer.changes.isEmpty),
            "features": report.features.map { shift -> Model in
                [
                    "name": shift.name, "gained": Words.grouped(shift.gained),
                    "lost": Words.grouped(shift.lost),
                ]
            },
            "meters": report.meters.map { shift -> Model in
                [
                    "name": shift.name, "reached": Words.grouped(shift.reached),
                    "freed": Words.grouped(shift.freed),
                    "limits": Words.grouped(shift.limitChanged), "overage": shift.overageWords,
                ]
            },
            "revenue": report.revenue.map { ["text": $0.words] },
        ]
        model["top"] = report.top.map { customer -> Model in
            var row: Model = [
                "name": customer.subject, "difference": customer.sentences.joined(separator: "; "),
            ]
            if call.may(.support) {
                row["href"] = call.link(call.address(of: customer.subject))
            }
            return row
        }
        if report.changed > report.top.count {
            model["more"] = Words.grouped(report.changed - report.top.count)
        }
        return model
    }
}
