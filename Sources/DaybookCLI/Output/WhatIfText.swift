import Daybook
import DaybookAudit

extension WhatIfReport {
    func text(_ terminal: Terminal) -> HumanText {
        let people = Words.count(customers, "customer")
        var text: HumanText =
            "\(terminal.paint(Words.grouped(changed), .bold)) of \(people) would differ\n"
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
                    .number(shift.limitChanged), .init(shift.overageWords, isRight: true))
            }
            text += table.text(terminal)
        }
        return text + moneyText(terminal) + topText(terminal)
    }

    private func moneyText(_ terminal: Terminal) -> HumanText {
        if revenue.isEmpty { return "" }
        var table = Table()
        table.add(Table.Cell("paid by them", .heading))
        for shift in revenue { table.add(Table.Cell(shift.words)) }
        return table.text(terminal)
    }

    private func topText(_ terminal: Terminal) -> HumanText {
        if top.isEmpty { return "" }
        var table = Table()
        table.add(Table.Cell("most affected", .heading))
        for customer in top {
            table.add(
                Table.Cell(customer.subject, .bold),
                .init(customer.sentences.joined(separator: "; ")))
        }
        return table.text(terminal)
    }
}

extension Table.Cell {
    fileprivate static func number(_ number: Int) -> Table.Cell {
        Table.Cell(Words.grouped(number), number == 0 ? .dim : .plain, isRight: true)
    }
}
