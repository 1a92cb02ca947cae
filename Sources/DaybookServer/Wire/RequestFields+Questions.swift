package import Daybook
package import DaybookEvents

/// What questions and writes have in common.
extension RequestFields {
    /// Valid time and knowledge time: milliseconds since 1970, RFC 3339, or for the latter `@1042`.
    mutating func moment() throws -> Moment {
        Moment(at: try instant("at"), knownAt: try knowledge("known_at"))
    }

    mutating func environmentAndMoment() throws -> (environment: Environment, moment: Moment) {
        (try environment(), try moment())
    }

    /// What had been recorded by then.
    mutating func knowledge(_ name: String) throws -> Moment.Knowledge? {
        try InstantText.knowledge(try timeText(name), name)
    }

    mutating func instant(_ name: String) throws -> Int64? {
        try InstantText.read(try timeText(name), name)
    }

    /// A number of milliseconds or a text.
    private mutating func timeText(_ name: String) throws -> String? {
        if let number = try? integer(name) { return String(number) }
        return try text(name)
    }

    /// Milliseconds from an ISO 8601 duration such as `PT10M`.
    mutating func duration(_ name: String) throws -> Int64? {
        try DurationText.read(try text(name), name)
    }

    /// By default production.
    mutating func environment() throws -> Environment {
        try environmentIfAny() ?? .production
    }

    package mutating func environmentIfAny() throws -> Environment? {
        guard let name = try text("environment") else { return nil }
        guard let environment = Environment(name: name) else {
            let names = Environment.allCases.map(\.name).joined(separator: ", ")
            throw Problem.unprocessable(
                "unknown_environment", "\"environment\" is none of \(names)")
        }
        return environment
    }

    /// A range of time, from a moment on and before another; `nil`: without that end.
    mutating func span() throws -> (from: Int64?, until: Int64?) {
        let from = try instant("from")
        let until = try instant("until")
        if let from, let until, until <= from {
            throw Problem.unprocessable(
                "empty_range", "\"until\" is not after \"from\": nothing lies between")
        }
        return (from, until)
    }

    /// How many rows at most.
    mutating func limit(_ usual: Int, most: Int) throws -> Int {
        guard let limit = try integer("limit") else { return usual }
        try Problem.require(
            (1...Int64(most)).contains(limit), "limit_out_of_bounds",
            "\"limit\" is not 1 to \(most)")
        return Int(limit)
    }

    /// A place that `changes` or a receipt gave.
    package mutating func place(_ name: String) throws -> Place? {
        guard let text = try text(name) else { return nil }
        guard let place = Place(text) else {
            throw Problem.unprocessable(
                "bad_place",
                "\"\(name)\" is no place; send one as an event, a page or a receipt has it")
        }
        return place
    }
}
