import Daybook
import DaybookDomain

/// A decision as a person reads it.
struct DecisionText {
    let decision: Decision
    let catalog: Catalog?
    let locale: String?
    /// The time that is asked about, which decides the prices that are shown.
    let at: Int64

    func text(_ terminal: Terminal, subject: String) -> HumanText {
        let name = decision.feature ?? decision.meter ?? ""
        let word = Words.spaced(decision.reason.rawValue)
        let verdict: HumanText =
            decision.allowed
            ? "\(terminal.paint("✓ yes", .good))  \(subject) may use \(name): \(word)\n"
            : "\(terminal.paint("✗ no", .bad))   \(subject) may not use \(name): \(word)\n"
        return verdict + details(terminal)
    }

    func details(_ terminal: Terminal) -> HumanText {
        var table = Table()
        func add(_ label: String, _ text: String?) {
            if let text { table.add(label: label, text) }
        }
        add("meter", decision.usage.map { "\($0.name): \($0.sentence)" })
        add("source", decision.source.map(\.sentence))
        for source in decision.candidates where source != decision.source {
            add("considered", source.sentence)
        }
        add("title", decision.title.map { "“\($0.text)”" })
        add("text", decision.display.map { "“\($0.text)”" })
        add("paywall", decision.paywall.map(paywall))
        if decision.isPrompting { add("prompt", "allowed, and the app should suggest the upgrade") }
        let flags = decision.flags + (decision.usage?.flags ?? [])
        add("flags", flags.isEmpty ? nil : flags.joined(separator: ", "))
        return table.text(terminal)
    }

    private func paywall(_ paywall: PaywallAnswer) -> String {
        let products = paywall.products.map { id in
            let product = catalog?.product(id)
            let name = product?.displayName.flatMap {
                catalog?.text($0, locale: locale ?? catalog?.defaultLocale ?? "en")
            }
            let price = product?.price(at: at).map {
                Words.money(milli: $0.amountMilli, $0.currency)
            }
            return [name ?? id, price].compactMap { $0 }.joined(separator: ", ")
        }
        return "\(paywall.context): \(products.joined(separator: " · "))"
    }
}
