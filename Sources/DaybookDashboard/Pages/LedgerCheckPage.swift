import Daybook
import DaybookAudit
import DaybookDomain
import DaybookServer

/// What a check of the whole ledger found.
struct LedgerCheckPage {
    enum Check: String {
        case verify, doctor
    }

    /// One thing that was looked at.
    struct Row: Sendable {
        var name: String
        var detail: String
        var remedy: String?
        var word: String
        var tone: String
    }

    let call: PageCall
    let check: Check

    static func rows(_ check: Check, _ ledger: Ledger) throws -> [Row] {
        switch check {
        case .verify:
            try ledger.verify().map { finding in
                Row(
                    name: finding.check, detail: finding.detail,
                    word: finding.isClean ? "clean" : "not clean",
                    tone: finding.isClean ? "good" : "bad")
            }
        case .doctor:
            try ledger.doctor().map { finding in
                let (word, tone) =
                    switch finding.severity {
                    case .fine: ("fine", "good")
                    case .warning: ("warning", "wait")
                    case .problem: ("problem", "bad")
                    }
                return Row(
                    name: finding.area, detail: finding.message, remedy: finding.remedy,
                    word: word, tone: tone)
            }
        }
    }

    func page(_ state: PageJobs.State<[Row]>) -> Frame.Page {
        let title = check == .verify ? "Verify" : "Doctor"
        var page = Frame.Page(title: title, template: "ledger-check", section: .ledger)
        page.model["title"] = title
        page.model["back"] = call.link(call.address("/ledger"))
        page.model["command"] = "daybook \(check.rawValue)"
        switch state {
        case .running:
            page.model["refresh"] = "1"
            page.model["running"] = ["whole": true]
        case .done(let rows):
            page.model["rows"] = rows.map { row -> Model in
                [
                    "name": row.name, "detail": row.detail, "remedy": row.remedy ?? "",
                    "word": row.word, "tone": row.tone,
                ]
            }
        }
        return page
    }
}
