import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer

/// Something that a person in support does for a customer: first a form, then what it would change, then the act.
struct ActionPage {
    enum Action: String, CaseIterable {
        case grant
        case voidGrant = "void-grant"
        case voidEvent = "void-event"
        case transfer
        case undoTransfer = "undo-transfer"
        case pretend
        case stopPretending = "stop-pretending"

        var title: String {
            switch self {
            case .grant: "Give access or units"
            case .voidGrant: "Take a grant back"
            case .voidEvent: "Void an event"
            case .transfer: "Give a purchase to another customer"
            case .undoTransfer: "Take a transfer back"
            case .pretend: "Pretend a state of the subscription"
            case .stopPretending: "Stop pretending"
            }
        }
    }

    let call: PageCall
    let subject: String
    let action: Action
    /// What was sent or stands in the address, by the names of fields.
    let values: [String: String]

    static let own: [Action: [String]] = [
        .grant: ["target", "amount", "expires", "kind", "profile"],
        .voidGrant: ["grant"], .voidEvent: ["source", "event"],
        .transfer: ["lineage", "to"], .undoTransfer: ["lineage"],
        .pretend: ["kind", "value", "expires"], .stopPretending: ["kind"],
    ]
    static let common = ["actor", "reason", "ticket", "key"]

    /// States of a subscription that developers try an app with (NZ-17 to NZ-20); refused in production.
    private static let pretences = [
        "force_entitlement", "expire_trial", "clear_subscription", "reset_trial_eligibility",
    ]

    // MARK: The form

    func page(_ ledger: Ledger, _ outcome: Outcome = .none) throws -> Frame.Page {
        var page = Frame.Page(
            title: action.title, template: "action", section: .customers,
            model: [
                "subject": subject, "title": action.title, "path": call.path,
                "environment": call.environment.name, "back": call.link(call.address(of: subject)),
                "fields": try fields(ledger).map(\.model),
                "key": values["key"] ?? "page/" + RandomText.make(),
            ])
        switch outcome {
        case .none: break
        case .refused(let problem):
            page.status = problem.status
            page.model["problem"] = problem.detail
            page.model["code"] = problem.code
        case .would(let receipt):
            page.model["would"] = would(receipt)
            page.model["kept"] = (Self.own[action, default: []] + Self.common).map {
                name -> Model in
                ["name": name, "value": values[name] ?? ""]
            }
        }
        return page
    }

    enum Outcome {
        case none
        case refused(Problem)
        /// What it would come to.
        case would(Receipt)
    }

    private func would(_ receipt: Receipt) -> Model {
        let changes = receipt.changes.flatMap { customer in
            customer.changes.map { $0.row.merging(["subject": customer.subject]) { $1 } }
        }
        var model: Model = [
            "changes": Array(changes.prefix(100)), "events": receipt.positions.count,
            "nothing": changes.isEmpty, "done_before": receipt.positions.isEmpty,
            "omitted": receipt.omitted,
        ]
        if changes.count > 100 { model["more"] = changes.count - 100 }
        return model
    }

    private func fields(_ ledger: Ledger) throws -> [FormField] {
        func field(
            _ name: String, _ label: String, needed: Bool = false, _ hint: String = "",
            choices: [String]? = nil
        ) -> FormField {
            FormField(
                name: name, label: label, value: values[name] ?? "", isNeeded: needed, hint: hint,
                choices: choices)
        }
        let own: [FormField]
        switch action {
        case .grant:
            let catalog = try ledger.catalogs().newest?.catalog
            let targets =
                (catalog?.meters ?? []).map { "meter \($0.name)" }
                + (catalog?.entitlements ?? []).map { "entitlement \($0.name)" }
                + (catalog?.features ?? []).map { "feature \($0.name)" }
            own = [
                field("target", "What", needed: true, choices: targets),
                field("amount", "Units", "of a meter; “unlimited” for as many as they like"),
                field("expires", "Until", "such as 2026-03-01; empty for ever"),
                field(
                    "kind", "Why it is given",
                    choices: ["support", "compensation", "promo", "beta", "migration"]),
                field("profile", "Profile", "empty for the whole customer"),
            ]
        case .voidGrant: own = [field("grant", "Grant", needed: true, "its id")]
        case .voidEvent:
            own = [
                field("source", "Source of the event", needed: true, "such as ledger or native"),
                field("event", "Key of the event", needed: true),
            ]
        case .transfer:
            own = [
                field("lineage", "Purchase", needed: true, "such as apple:2000000123"),
                field("to", "To customer", needed: true),
            ]
        case .undoTransfer: own = [field("lineage", "Purchase", needed: true)]
        case .pretend:
            let entitlements = try ledger.catalogs().newest?.catalog.entitlements ?? []
            own = [
                field("kind", "What", needed: true, choices: Self.pretences),
                field(
                    "value", "Entitlement", "of force_entitlement; empty for all",
                    choices: [""] + entitlements.map(\.name)),
                field("expires", "Until", "such as 2026-03-01; empty for a day"),
            ]
        case .stopPretending:
            own = [field("kind", "What", "empty for everything", choices: [""] + Self.pretences)]
        }
        var actor = field("actor", "Who does it", needed: true)
        if actor.value.isEmpty { actor.value = call.caller.key?.label ?? "" }
        return own + [
            actor, field("reason", "Reason", needed: true, "is kept with the event for ever"),
            field("ticket", "Ticket", "such as SUP-77"),
        ]
    }

    // MARK: The act

    /// - Throws: `Problem` for what is missing or cannot be read.
    func request() throws -> CommandRequest {
        CommandRequest(
            try command(), subject: subject, environment: call.environment,
            key: try needed("key"), actor: try needed("actor"), reason: try needed("reason"),
            ticket: optional("ticket"))
    }

    private func command() throws -> Command {
        switch action {
        case .grant: .issueGrant(try terms())
        case .voidGrant: .voidGrant(grant: try needed("grant"))
        case .voidEvent: .voidEvent(source: try needed("source"), key: try needed("event"))
        case .transfer: .transferLineage(try needed("lineage"), to: try needed("to"))
        case .undoTransfer: .undoTransfer(lineage: try needed("lineage"), isForced: false)
        case .pretend:
            .setOverride(
                kind: try needed("kind"), value: optional("value"), expiresAt: try expires())
        case .stopPretending: .clearOverride(kind: optional("kind"))
        }
    }

    private func terms() throws -> Command.GrantTerms {
        let words = try needed("target").split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { throw Self.unreadable("What", "choose one of the list") }
        let target: Command.GrantTerms.Target
        switch words[0] {
        case "meter": target = .meter(words[1])
        case "entitlement": target = .entitlement(words[1])
        case "feature": target = .feature(words[1])
        default: throw Self.unreadable("What", "choose one of the list")
        }
        var amount: Int64?
        if case .meter = target {
            let text = try needed("amount")
            if text != "unlimited" {
                guard let number = Int64(text), number > 0 else {
                    throw Self.unreadable("Units", "write a number above 0, or unlimited")
                }
                amount = number
            }
        } else if optional("amount") != nil {
            throw Self.unreadable("Units", "only meters have units; leave it empty")
        }
        let expires = try expires()
        return Command.GrantTerms(
            // The form's key makes the same grant of the same form, sent twice.
            id: "grant-" + Digest.hexadecimal(RandomText.digest(try needed("key")).prefix(6)),
            target: target, amount: amount, expiresAt: expires, profile: optional("profile"),
            reason: optional("kind") ?? "support")
    }

    private func expires() throws -> Int64? {
        try InstantText.read(optional("expires").map { Clocks.completed($0) }, "Until")
    }

    private func optional(_ name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func needed(_ name: String) throws -> String {
        guard let value = optional(name) else {
            throw Problem.unprocessable("missing_member", "“\(name)” is empty: fill it in")
        }
        return value
    }

    private static func unreadable(_ name: String, _ remedy: String) -> Problem {
        Problem.unprocessable("bad_field", "“\(name)” cannot be read: \(remedy)")
    }

    // MARK: What was done

    /// The form that takes an act back; `nil` where none does.
    static func undoing(_ event: RecordedEvent, in app: String) -> String? {
        let data = event.draft.data
        let environment = event.draft.environment
        func form(_ action: Action, of subject: String, _ values: [(String, String?)]) -> String {
            let shown = environment == .production ? nil : environment.name
            return Link(
                "\(Paths.customer(app, subject))/actions/\(action.rawValue)",
                values + [("environment", shown)]
            ).text
        }
        switch event.draft.type {
        case .debugOverrideSet:
            guard let subject = event.draft.subject else { return nil }
            return form(.stopPretending, of: subject, [("kind", data["kind"]?.text)])
        case .grantIssued:
            guard let grant = data["grant_id"]?.text, let subject = event.draft.subject else {
                return nil
            }
            return form(.voidGrant, of: subject, [("grant", grant)])
        case .purchaseTransferred:
            // Only the owner's purchases can be taken back.
            guard let owner = data["to"]?.text, event.stream.kind == .lineage else { return nil }
            return form(.undoTransfer, of: owner, [("lineage", event.stream.name)])
        default: return nil
        }
    }
}
