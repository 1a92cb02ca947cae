import Daybook

/// Who is behind a number, as people read it.
enum ContributionsText {
    static func text(_ found: Contributions, _ terminal: Terminal) -> HumanText {
        let value = MetricWords.number(found.value.micros, found.metric.shape)
        let parts = [
            found.period.name, found.value.group, found.value.age.map { "age \($0)" } ?? "",
        ]
        var text: HumanText =
            "\(terminal.paint(found.metric.name, .heading)) · \(parts.filter { !$0.isEmpty }.joined(separator: " ")): \(terminal.paint(value, .bold))\n"
        text += Table(found.rows) { row in
            [
                .init(row.name, .bold), .init(row.isCustomer ? "" : "no owner", .dim),
                .init(found.words(row), isRight: true),
            ]
        }.text(terminal)
        return text + rest(found.count, found.rows.count, found.asOf.sentence, terminal)
    }

    static func text(_ found: FunnelCustomers, _ terminal: Terminal) -> HumanText {
        var text: HumanText =
            "\(terminal.paint(found.step.name, .heading)) · \(found.isStopped ? "went no further" : "came here")\n"
        text += Table(found.rows) { row in
            [
                .init(row.name, .bold), .init(row.count == 1 ? "" : "\(row.count) times", .dim),
                .init(row.nextCount > 0 ? "went on" : "", .good),
            ]
        }.text(terminal)
        return text + rest(found.count, found.rows.count, found.asOf.sentence, terminal)
    }

    private static func rest(
        _ count: Int, _ told: Int, _ sentence: String, _ terminal: Terminal
    ) -> HumanText {
        let more = count > told ? "\(Words.grouped(told)) of " : ""
        let people = count == 1 ? "customer" : "customers"
        return
            "  \(more)\(Words.grouped(count)) \(people); \(terminal.paint(sentence, .dim))\n"
    }
}
