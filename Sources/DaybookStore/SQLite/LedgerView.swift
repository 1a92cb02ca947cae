import DaybookEvents

/// The view `ledger`: history for people, with names, times and types as text.
enum LedgerView {
    static let sql = """
        CREATE VIEW ledger AS SELECT
          e.position,
          \(time("e.recorded_at")) AS recorded_at,
          \(time("e.occurred_at")) AS occurred_at,
          \(words("s.environment", Environment.allCases.map { (Int($0.rawValue), $0.name) }))
            AS environment,
          \(words("s.kind", StreamKind.allCases.map { (Int($0.rawValue), $0.name) })) AS kind,
          (SELECT text FROM names WHERE id = s.name) AS stream,
          CASE e.type WHEN 0 THEN \(name("name_a")) ELSE \(types) END AS type,
          e.version,
          \(name("party")) AS subject,
          \(name("profile")) AS profile,
          \(name("source")) AS source,
          \(text("e.key")) AS key,
          \(words("e.trust", Trust.allCases.map { (Int($0.rawValue), $0.name) })) AS trust,
          CASE e.type WHEN 0 THEN NULL ELSE \(name("name_a")) END AS name_a,
          \(name("name_b")) AS name_b,
          \(name("name_c")) AS name_c,
          \(text("e.ref")) AS ref,
          e.amount,
          e.money,
          \(time("e.time_a")) AS time_a,
          \(time("e.time_b")) AS time_b,
          \(time("e.time_c")) AS time_c,
          e.flags,
          e.rest
        FROM events AS e LEFT JOIN streams AS s ON s.id = e.stream
        """

    private static var types: String {
        words(
            "e.type",
            EventType.allCases.filter { $0 != .unknown }
                .map { (Int($0.rawValue), Vocabulary.name(of: $0)) })
    }

    /// A number that this build does not know stays visible as a number.
    static func words(_ column: String, _ words: [(Int, String)]) -> String {
        let cases = words.map { "WHEN \($0.0) THEN '\($0.1)'" }.joined(separator: " ")
        return "CASE \(column) \(cases) ELSE CAST(\(column) AS TEXT) END"
    }

    /// Milliseconds since 1970 as ISO 8601; what lies outside the years 0 to 9999 stays a number.
    private static func time(_ column: String) -> String {
        """
        ifnull(strftime('%Y-%m-%dT%H:%M:%fZ', \(column) / 1000.0, 'unixepoch'), \
        CAST(\(column) AS TEXT))
        """
    }

    static func name(_ column: String) -> String {
        "(SELECT text FROM names WHERE id = e.\(column))"
    }

    static func text(_ column: String) -> String {
        let digits = "lower(hex(\(column)))"
        let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
            .map { "substr(\(digits), \($0.0), \($0.1))" }.joined(separator: " || '-' || ")
        return "CASE typeof(\(column)) WHEN 'blob' THEN \(parts) ELSE \(column) END"
    }
}
