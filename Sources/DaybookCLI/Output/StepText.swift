import Daybook
import DaybookAudit
import DaybookEvents

extension Table {
    /// `meters.stories.used  2 → 3`; lists and objects as JSON.
    init(_ differences: some Sequence<JSONDifference>) {
        for difference in differences {
            let path = difference.path
            add(
                Cell(path, .bold), .init(JSONDifference.word(difference.before, path), .dim),
                .init("→", .dim), .init(JSONDifference.word(difference.after, path)))
        }
    }

    /// A line for each value that is given, by its path; lists of objects by the place in the list.
    mutating func add(leavesOf value: JSONValue, at path: String = "") {
        switch value {
        case .null: return
        case .object(let object):
            for member in object.members {
                let place = path.isEmpty ? member.name : "\(path).\(member.name)"
                add(leavesOf: member.value, at: place)
            }
        case .array(let values) where values.contains { $0.object != nil }:
            for (index, value) in values.enumerated() {
                add(leavesOf: value, at: "\(path)[\(index)]")
            }
        case .array(let values) where values.isEmpty: return
        default: add(Cell(path, .bold), .init(JSONDifference.word(value, path)))
        }
    }
}

extension SteppedReplay.Step {
    func text(_ terminal: Terminal, of total: Int) -> HumanText {
        guard let event else {
            return "\(terminal.paint("0/\(total)", .dim))  before the first event\n"
        }
        var notes: [String] = []
        if event.isVoid { notes.append("void") }
        if event.isLate { notes.append("late") }
        var text: HumanText = "\(terminal.paint("\(count)/\(total)", .dim))  "
        text += "@\(event.event.position)  \(Words.time(at))  "
        text += terminal.paint(event.label, .heading)
        if !notes.isEmpty { text += "  \(terminal.paint(notes.joined(separator: ", "), .warning))" }
        text += "\n"
        if changes.isEmpty { return text + "  \(terminal.paint("nothing changed", .dim))\n" }
        return text + Table(changes).text(terminal)
    }
}
