import ArgumentParser
import Daybook

/// Which part of a list is wanted.
struct PageOptions: ParsableArguments {
    @Option(help: .value("n", "At most this many events."))
    var limit: Int?

    @Flag(help: "The newest first; with --limit the newest alone.")
    var newestFirst = false

    var order: PageOrder { PageOrder(limit: limit, isNewestFirst: newestFirst) }

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit \(limit): write 1 or more.") }
    }
}
