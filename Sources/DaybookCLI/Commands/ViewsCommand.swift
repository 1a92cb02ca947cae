import ArgumentParser
import Daybook
import DaybookEvents
import DaybookStore

struct ViewsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "views", abstract: "Add typed SQL views of the events to the ledger file.",
        discussion: """
            One view for each event type and version, with a column for each member, for whatever reads SQLite: \
            sqlite3, DuckDB, pandas. They hold nothing by themselves, so they are always up to date, and a view never \
            changes what it means. They are added on demand, because every program that opens the file reads their \
            definitions, which takes some milliseconds (docs/sql.md).

              daybook views                              # all of them
              daybook views event_usage_recorded_v1      # the columns of one
              daybook views --add
              daybook views --remove
            """)

    @Argument(help: "A view, to see its columns.")
    var name: String?

    @Flag(help: "Add the views to the ledger file, or bring those that are there up to date.")
    var add = false

    @Flag(help: "Remove the views from the ledger file.")
    var remove = false

    @OptionGroup var basic: BasicOptions

    mutating func validate() throws {
        try require(
            [add, remove, name != nil].count(where: { $0 }) <= 1,
            "Name a view, or say --add or --remove: one of them.")
    }

    mutating func run() async throws {
        if let name { return try show(name) }
        guard add || remove else { return try list() }
        let areThere = add
        let isChanged = try await basic.ledger.writing { try $0.setEventViews(areThere) }
        try basic.output.show([
            "views": .integer(areThere ? Int64(EventView.all.count) : 0),
            "changed": .bool(isChanged),
        ]) { terminal in
            let count = Words.count(EventView.all.count, "view")
            return switch (areThere, isChanged) {
            case (true, true): "\(terminal.tick) \(count) added\n"
            case (true, false): "\(terminal.tick) \(count) there before\n"
            case (false, true): "\(terminal.tick) the views are removed\n"
            case (false, false): "\(terminal.tick) there were no views\n"
            }
        }
    }

    private func list() throws {
        try basic.output.show(["views": .objects(EventView.all.map(\.json))]) { _ in
            EventView.all.reduce(into: "") { $0 += "\($1.name)\n" }
        }
    }

    private func show(_ name: String) throws {
        guard let view = EventView.all.first(where: { $0.name == name }) else {
            let near = NearestName.of(name, among: EventView.all.map(\.name))
            throw Failure(
                .badInput, "unknown_name",
                "there is no view \(name); \(near.map { "did you mean \($0)?" } ?? "\"daybook views\" lists them")"
            )
        }
        try basic.output.show(view.json) { terminal in
            return Table(view.columns) { column in
                [
                    .init(column.name, .bold), .init(column.kind.rawValue),
                    .init(column.isRequired ? "always" : "", .dim), .init(column.meaning, .dim),
                ]
            }.text(terminal, indent: 0)
        }
    }
}

extension EventView {
    fileprivate var json: JSONObject {
        [
            "name": .string(name), "type": .string(type.rawValue),
            "version": .count(version),
            "columns": .array(
                columns.map {
                    [
                        "name": .string($0.name), "kind": .string($0.kind.rawValue),
                        "required": .bool($0.isRequired), "meaning": .string($0.meaning),
                    ]
                }),
        ]
    }
}
