import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents

extension WhatIfReport {
    var json: JSONObject {
        [
            "environment": .string(environment.name), "as_of": .object(asOf.json),
            "customers": .integer(Int64(customers)), "changed": .integer(Int64(changed)),
            "features": .array(
                features.map {
                    [
                        "feature": .string($0.name), "gained": .integer(Int64($0.gained)),
                        "lost": .integer(Int64($0.lost)),
                    ]
                }),
            "meters": .array(meters.map { .object($0.json) }),
            "revenue": .array(
                revenue.map {
                    [
                        "currency": .string($0.currency), "before_milli": .integer($0.before),
                        "after_milli": .integer($0.after),
                    ]
                }),
            "top": .array(top.map { .object($0.json) }), "conflicts": .texts(conflicts),
        ]
    }

    func text(_ terminal: Terminal) -> HumanText {
        let people = Words.count(Int64(customers), "customer")
        var text: HumanText =
            "\(terminal.paint(Words.grouped(Int64(changed)), .bold)) of \(people) would differ\n"
        text += "  \(terminal.paint(asOf.sentence, .dim))\n"
        for conflict in conflicts {
            text += "  \(terminal.paint("could not be published: \(conflict)", .warning))\n"
        }
        if !features.isEmpty {
            var table = Table()
            table.add(
                Table.Cell("feature", .heading), .init("gain", .heading, isRight: true),
                .init("lose", .heading, isRight: true))
            for shift in features {
                table.add(Table.Cell(shift.name), .number(shift.gained), .number(shift.lost))
            }
            text += table.text(terminal)
        }
        if !meters.isEmpty {
            var table = Table()
            table.add(
                Table.Cell("meter", .heading), .init("limit reached", .heading, isRight: true),
                .init("freed", .heading, isRight: true),
                .init("other limit", .heading, isRight: true),
                .init("beyond the limit", .heading, isRight: true))
            for shift in meters {
                table.add(
                    Table.Cell(shift.name), .number(shift.reached), .number(shift.freed),
                    .number(shift.limitChanged),
                    .init(
                        "\(Words.grouped(shift.overageBefore)) → \(Words.grouped(shift.overageAfter))",
                        isRight: true))
            }
            text += table.text(terminal)
        }
        return text + moneyText(terminal) + topText(terminal)
    }

    private func moneyText(_ terminal: Terminal) -> HumanText {
        if revenue.isEmpty { return "" }
        var table = Table()
        table.add(Table.Cell("paid by them", .heading))
        for shift in revenue {
            let before = Words.money(milli: shift.before, shift.currency)
            let after = Words.money(milli: shift.after, shift.currency)
            table.add(Table.Cell(before == after ? before : "\(before) → \(after)"))
        }
        return table.text(terminal)
    }

    private func topText(_ terminal: Terminal) -> HumanText {
        if top.isEmpty { return "" }
        var table = Table()
        table.add(Table.Cell("most affected", .heading))
        for customer in top {
            table.add(
                Table.Cell(customer.subject, .bold),
                .init(customer.difference.sentences.joined(separator: "; ")))
        }
        return table.text(terminal)
    }
}

extension Table.Cell {
    fileprivate static func number(_ number: Int) -> Table.Cell {
        Table.Cell(Words.grouped(Int64(number)), number == 0 ? .dim : .plain, isRight: true)
    }
}

extension WhatIfReport.MeterShift {
    fileprivate var json: JSONObject {
        [
            "meter": .string(name), "limit_reached": .integer(Int64(reached)),
            "limit_freed": .integer(Int64(freed)),
            "limit_changed": .integer(Int64(limitChanged)),
            "overage_before": .integer(overageBefore), "overage_after": .integer(overageAfter),
        ]
    }
}

extension WhatIfReport.Customer {
    fileprivate var json: JSONObject {
        [
            "subject": .string(subject),
            "features": .array(
                difference.features.map {
                    [
                        "feature": .string($0.name), "profile": .orNull($0.profile),
                        "gained": .bool($0.isGained), "reason": .string($0.reason.rawValue),
                    ]
                }),
            "meters": .array(
                difference.meters.map {
                    [
                        "meter": .string($0.name),
                        "before": $0.before.map { .object($0.json) } ?? .null,
                        "after": $0.after.map { .object($0.json) } ?? .null,
                    ]
                }),
            "paid_before": paidBefore.json, "paid_after": paidAfter.json,
        ]
    }
}

extension OutcomeDifference.Numbers {
    fileprivate var json: JSONObject {
        [
            "limit": .orNull(limit), "used": .integer(used), "remaining": .orNull(remaining),
            "overage": .integer(overage),
        ]
    }

    /// `3 of 2`.
    fileprivate var words: String {
        "\(used) of \(limit.map(String.init) ?? "unlimited")"
    }
}

extension PaidMoney {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        for (currency, amount) in amounts.sorted(by: { $0.key < $1.key }) {
            object[currency] = .integer(amount)
        }
        return .object(object)
    }
}

extension OutcomeDifference {
    /// `loses premiumVoices (not entitled)`, `stories 2 of 3 → 2 of 2`.
    fileprivate var sentences: [String] {
        let changes = features.map { feature in
            let name = feature.profile.map { "\(feature.name) for \($0)" } ?? feature.name
            return
                "\(feature.isGained ? "gains" : "loses") \(name) (\(Words.spaced(feature.reason.rawValue)))"
        }
        return changes
            + meters.map { meter in
                "\(meter.name) \(meter.before?.words ?? "–") → \(meter.after?.words ?? "–")"
            }
    }
}
