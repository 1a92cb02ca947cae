import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

/// The programs of recipes/ beside what Daybook itself says of the same ledger.
///
/// They need packages from PyPI and PostgreSQL, so this suite is of the extended tier.
@Suite("Recipes", .serialized, .enabled(if: Tier.isExtended, "of the extended tier"))
struct RecipeTests {
    private static let folder = "\(Workbench.repository)/recipes"

    private let bench: Workbench
    private let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin("\(Workbench.repository)/datasets/webshop/catalog.yaml")
        let maps = "\(Workbench.repository)/datasets/webshop"
        let loaded = try bench.run([
            "import", "\(maps)/orders.csv", "--map", "\(maps)/map.yaml", "--ledger", ledger,
        ])
        try #require(loaded.status == 0, "\(loaded.errors)")
    }

    /// Runs a script of the shell with the packages of the recipes installed.
    private func python(_ script: String) throws -> ToolResult {
        let made = try bench.shell(
            """
            set -e
            python3 -m venv venv
            venv/bin/python -m pip install --quiet --disable-pip-version-check \
              --requirement '\(Self.folder)/requirements.txt'
            """, environment: Tier.environment)
        try #require(made.status == 0, "\(made.output)\(made.errors)")
        return try bench.shell(
            script,
            environment: Tier.environment.merging([
                "PYTHONDONTWRITEBYTECODE": "1", "DAYBOOK": Workbench.program,
            ]) { _, new in new })
    }

    @Test("DuckDB reads a view of the ledger file, and writes it as Parquet")
    func duckDB() throws {
        #expect(try bench.run(["views", "--add", "--ledger", ledger]).status == 0)
        let run = try python(
            """
            venv/bin/python '\(Self.folder)/duckdb_views.py' a.sqlite \
              purchase_completed_v1 out.parquet
            venv/bin/python -c 'import duckdb
            print(*duckdb.sql("SELECT sum(price_milli), typeof(any_value(occurred_at)) FROM \
            read_parquet($$out.parquet$$)").fetchone())'
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output
                == "month,events,customers\n2026-01,2,2\n2026-02,1,1\n26490 TIMESTAMP\n",
            "\(run.output)\(run.errors)")
    }

    @Test("pandas sums an export of transactions to the metric's net revenue")
    func pandas() throws {
        let exported = try bench.run([
            "export", "transactions", "--format", "csv", "--output", bench.path("sales.csv"),
            "--ledger", ledger,
        ])
        #expect(exported.status == 0, "\(exported.errors)")
        let run = try python("venv/bin/python '\(Self.folder)/pandas_revenue.py' sales.csv")
        #expect(run.status == 0, "\(run.errors)")
        let metrics = try bench.run([
            "metrics", "net_revenue", "--period", "2026-Q1", "--by", "month", "--tz", "UTC",
            "--csv", "--ledger", ledger,
        ])
        let expected = metrics.output.split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            return "\(cells[2].prefix(7)),\(cells[1]),\(cells[4])"
        }
        let found = run.output.split(separator: "\n").map(String.init)
        #expect(found == expected.filter { !$0.hasSuffix(",0") })
        #expect(found.count == 2)
    }

    @Test("PostgreSQL has every event once, however often the feed is read")
    func postgres() throws {
        let there = try bench.shell("command -v initdb pg_ctl", environment: Tier.environment)
        guard there.status == 0 else { try Test.cancel("PostgreSQL's initdb is not on the path") }
        let run = try python(
            """
            set -e
            user=; if [ "$(id -u)" = 0 ]; then user='runuser -u postgres --'; fi
            data="$(mktemp -d)"; chmod 777 "$data"
            $user initdb -D "$data/db" --auth trust --no-sync > log.txt
            $user pg_ctl -D "$data/db" -w -l "$data/server.txt" \
              -o "-c listen_addresses= -c unix_socket_directories=$data -c fsync=off" start >> log.txt
            trap '$user pg_ctl -D "$data/db" -m immediate stop >> log.txt; rm -rf "$data"' EXIT
            name="$($user psql -h "$data" -At -c 'SELECT current_user' postgres)"
            to="host=$data dbname=postgres user=$name"
            feed() { venv/bin/python '\(Self.folder)/postgres_feed.py' a.sqlite "$to"; }
            feed
            feed
            "$DAYBOOK" record '{"type":"app.launched","subject":"c-9","source":{"kind":"t","key":"1"}}' \
              --ledger a.sqlite > /dev/null
            feed
            $user psql -h "$data" -At -c \
              "SELECT count(*), count(DISTINCT position), max(position) FROM daybook_event" postgres
            $user psql -h "$data" -At -c "SELECT sum((data->>'price_milli')::int) FROM daybook_event" \
              postgres
            """)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let count = try bench.events().count
        let expected = """
            \(count - 1) events taken
            0 events taken
            1 events taken
            \(count)|\(count)|\(count)
            26490

            """
        #expect(run.output == expected, "\(run.errors)")
    }
}
