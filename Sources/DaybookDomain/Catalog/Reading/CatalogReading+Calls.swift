import DaybookEvents

extension CatalogReading {
    /// `calls`: by name, requests in the app's own form.
    func calls(_ fields: CatalogFields) -> [AppCall] {
        named("calls", of: fields) { name, fields -> AppCall? in
            checkPathName(name, "call", at: fields.place)
            let words = AppCall.Work.allCases.map(\.rawValue).joined(separator: ", ")
            fields.require("does", "Say what it does: \(words).")
            let work: AppCall.Work? = fields.choice("does")
            let envelope: AppCall.Envelope? = fields.choice("envelope")
            let meter = fields.reference("meter", .meter)
            let registers = fields.flag("registers")
            let answer = members("answer", of: fields)
            let refusal = members("refusal", of: fields)
            guard let work else {
                _ = fields.node("members")
                return nil
            }
            var call = AppCall(name: name, work: work)
            call.envelope = envelope ?? .plain
            call.meter = meter
            call.registers = registers ?? false
            call.members = inputs(of: work, fields)
            call.answer = answer
            call.refusal = refusal
            check(call, fields)
            return call
        }
    }

    private func check(_ call: AppCall, _ fields: CatalogFields) {
        if call.work == .consume {
            fields.require("meter", "Say which meter is used: `meter: stories`.")
        } else {
            fields.refuse(["meter"], because: "\(call.work.rawValue) uses no meter")
        }
        if call.work != .showStatus {
            fields.refuse(["registers"], because: "only showStatus asks without recording")
        }
        if !call.work.canBeRefused {
            fields.refuse(["refusal"], because: "\(call.work.rawValue) is never refused by a rule")
        }
        if call.work != .consume {
            for member in call.answer + call.refusal {
                guard case .path(let path) = member.value, path.first == "decision" else {
                    continue
                }
                fields.report(
                    "`\(member.name)` is taken from a decision, and \(call.work.rawValue) makes none.",
                    "Take it from the status: `{status.…}`.", at: "answer")
            }
        }
    }

    /// `members`: what the app calls what the work needs.
    private func inputs(
        of work: AppCall.Work, _ fields: CatalogFields
    ) -> [AppCall.Input: String] {
        var inputs: [AppCall.Input: String] = [:]
        for entry in fields.map("members") {
            guard let name = entry.value.text(self) else { continue }
            guard let input = AppCall.Input(rawValue: entry.key), work.inputs.contains(input) else {
                let known = work.inputs.map(\.rawValue)
                report(
                    "`\(entry.key)` is nothing that \(work.rawValue) takes.",
                    nearest: entry.key, among: known,
                    otherwise: "Write \(known.joined(separator: ", ")).", at: entry.place)
                continue
            }
            if inputs.values.contains(name) {
                report(
                    "The member `\(name)` stands for two things.", "Remove one.", at: entry.place)
            }
            inputs[input] = name
        }
        for input in work.neededInputs where inputs[input] == nil {
            fields.report(
                "`members` does not say which member of a request is `\(input.rawValue)`.",
                "Write `members: { \(input.rawValue): nameInTheRequest }`.", at: "members")
        }
        return inputs
    }

    private func members(_ key: String, of fields: CatalogFields) -> [AppCall.Member] {
        let entries = fields.map(key)
        if entries.count > AppCall.membersMax {
            fields.report(
                "`\(key)` has \(entries.count) members.", "Write at most \(AppCall.membersMax).",
                at: key)
        }
        return entries.compactMap { entry in
            value(entry.value).map { .init(name: entry.key, value: $0) }
        }
    }

    /// A flag, a whole number, a path such as `{status.status}`, or text.
    private func value(_ node: CatalogNode) -> AppCall.Value? {
        if case .scalar("true", isQuoted: false) = node.content { return .flag(true) }
        if case .scalar("false", isQuoted: false) = node.content { return .flag(false) }
        if case .scalar(let text, isQuoted: false) = node.content, let number = Int64(text) {
            return .integer(number)
        }
        guard let text = node.text(self) else { return nil }
        guard text.hasPrefix("{"), text.hasSuffix("}") else {
            otherTexts.append((text, node.place))
            return .text(text)
        }
        let names = text.dropFirst().dropLast()
            .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count > 1, !names.contains(""), AppCall.roots.contains(names[0]) else {
            report(
                "`\(text)` leads nowhere.",
                "Write where the value stands in the ledger's answer: `{decision.remaining}`, `{status.status}`.",
                at: node.place)
            return nil
        }
        return .path(names)
    }
}
