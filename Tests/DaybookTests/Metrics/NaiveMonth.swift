import DaybookEvents

/// What plain loops over the exported lines of a ledger count, without a fold, a period or a zone of the ledger: the
/// definitions of docs/metrics.md once more, for production and whole days of UTC.
struct NaiveMonth {
    struct Row {
        let type: String
        let subject: String?
        let at: Int64
        let source: String
        let key: String
        let signedAt: Int64
        let isProvisional: Bool
        var data: JSONObject

        func text(_ name: String) -> String? { data[name]?.text }
        func number(_ name: String) -> Int64? { data[name]?.integer }
    }

    struct Payment {
        var at: Int64
        var amount: Int64
        var currency: String
        var isTrial: Bool
        var refund: (at: Int64, amount: Int64)?
    }

    static let day: Int64 = 86_400_000

    private(set) var rows: [Row] = []
    /// Of every id the one that stands for its person.
    private var parents: [String: String] = [:]

    /// - Parameter lines: What `export` wrote, as far as it was known.
    init(_ lines: [[UInt8]]) throws {
        var all: [Row] = []
        for line in lines {
            guard let object = try JSONReader.read(line).object, let data = object["data"]?.object,
                let source = object["source"]?.object, let at = object["occurred_at"]?.integer
            else { continue }
            guard object["environment"]?.text == "production" else { continue }
            let trust = object["trust"]?.text ?? ""
            all.append(
                Row(
                    type: object["type"]?.text ?? "", subject: object["subject"]?.text, at: at,
                    source: source["kind"]?.text ?? "", key: source["key"]?.text ?? "",
                    signedAt: source["signed_at"]?.integer ?? at,
                    isProvisional: trust == "client_asserted" || trust == "debug", data: data))
        }
        var void: Set<[String]> = []
        var patches: [[String]: JSONObject] = [:]
        for row in all where row.type.hasPrefix("correction.") {
            guard let target = row.data["target"]?.object, let kind = target["source"]?.text,
                let key = target["key"]?.text
            else { continue }
            if row.type == "correction.voided" { void.insert([kind, key]) }
            if let patch = row.data["patch"]?.object { patches[[kind, key]] = patch }
        }
        for var row in all where !void.contains([row.source, row.key]) {
            for member in patches[[row.source, row.key]]?.members ?? [] {
                row.data[member.name] = member.value
            }
            rows.append(row)
        }
        rows.sort { ($0.at, $0.key) < ($1.at, $1.key) }
        for row in rows where row.type == "subject.aliased" {
            let (one, other) = (
                person(row.text("alias") ?? ""), person(row.text("canonical") ?? "")
            )
            if one != other { parents[one] = other }
        }
    }

    func person(_ id: String) -> String {
        var id = id
        while let parent = parents[id] { id = parent }
        return id
    }

    /// Whether an event stands with the customer rather than with a purchase of the store.
    private static func isOfCustomer(_ row: Row) -> Bool {
        let others = ["purchase.assigned", "purchase.unassigned"]
        return others.contains(row.type)
            || !["purchase.", "subscription.", "store.", "refund."].contains {
                row.type.hasPrefix($0)
            }
    }

    /// When each person was first seen.
    var firstSeen: [String: Int64] {
        var stated: [String: Int64] = [:]
        var events: [String: Int64] = [:]
        for row in rows {
            guard let subject = row.subject, Self.isOfCustomer(row) else { continue }
            let person = person(subject)
            events[person] = min(events[person] ?? .max, row.at)
            if row.type == "subject.created", let at = row.number("first_seen_at") {
                stated[person] = min(stated[person] ?? .max, at)
            }
        }
        // A purchase counts for the customer whom its own events name first.
        var purchases: [String: (owner: String?, at: Int64)] = [:]
        for row in rows where !Self.isOfCustomer(row) {
            guard let id = row.text("original_transaction_id") ?? row.text("transaction_id") else {
                continue
            }
            var purchase = purchases[id] ?? (nil, row.at)
            purchase.owner = purchase.owner ?? row.subject.map(person)
            purchases[id] = purchase
        }
        for purchase in purchases.values {
            guard let owner = purchase.owner else { continue }
            events[owner] = min(events[owner] ?? .max, purchase.at)
        }
        // One that came from another customer counts for the new owner when it came.
        for row in rows where row.type == "purchase.transferred" {
            let owner = person(row.text("to") ?? "")
            events[owner] = min(events[owner] ?? .max, row.at)
        }
        return events.merging(stated) { _, stated in stated }
    }

    /// The times at which each person launched the app.
    var launches: [String: [Int64]] {
        var launches: [String: [Int64]] = [:]
        for row in rows where row.type == "app.launched" {
            launches[person(row.subject ?? ""), default: []].append(row.at)
        }
        return launches
    }

    /// One for each transaction of a store, of all owners.
    var payments: [Payment] {
        var statements: [String: Row] = [:]
        var returns: [String: Row] = [:]
        func isWeightier(_ row: Row, _ other: Row?) -> Bool {
            guard let other else { return true }
            let left = (row.isProvisional ? 0 : 1, row.signedAt)
            let right = (other.isProvisional ? 0 : 1, other.signedAt)
            return left == right
                ? (row.source, row.key) > (other.source, other.key) : left > right
        }
        let telling: Set<String> = [
            "purchase.completed", "subscription.started", "subscription.renewed",
            "store.transaction_stated",
        ]
        let returning: Set<String> = [
            "purchase.refunded", "purchase.refund_reversed", "store.transaction_stated",
        ]
        for row in rows {
            guard let id = row.text("transaction_id") else { continue }
            if telling.contains(row.type), isWeightier(row, statements[id]) {
                statements[id] = row
            }
            if returning.contains(row.type), isWeightier(row, returns[id]) { returns[id] = row }
        }
        return statements.compactMap { id, row in
            if row.isProvisional || row.text("ownership") == "family_shared" { return nil }
            let offer = row.data["offer"]?.object
            let isTrial =
                offer?["type"]?.text == "introductory" && offer?["discount"]?.text == "free_trial"
            let price = isTrial ? 0 : row.number("price_milli") ?? 0
            let amount = price * (row.number("quantity") ?? 1)
            var refund: (Int64, Int64)?
            if let back = returns[id], let at = back.number("revoked_at") {
                refund = (at, amount * (back.number("pct_milli") ?? 100_000) / 100_000)
            }
            return Payment(
                at: row.number("starts_at") ?? row.at, amount: amount,
                currency: row.text("currency") ?? "XXX", isTrial: isTrial, refund: refund)
        }
    }

    /// What was used of counters, each ref once, and nothing that was taken back.
    /// - Parameter counters: The names of the meters that count.
    func uses(of counters: Set<String>) -> [(meter: String, at: Int64, amount: Int64)] {
        let reversed = Set(
            rows.filter { $0.type == "usage.reversed" }.compactMap { row in
                row.text("target").map { [person(row.subject ?? ""), $0] }
            })
        var commits: [[String]: Row] = [:]
        for row in rows where row.type == "usage.committed" || row.type == "usage.released" {
            let id = [person(row.subject ?? ""), row.text("reservation_id") ?? ""]
            if commits[id] == nil { commits[id] = row }
        }
        var seen: Set<[String]> = []
        var uses: [(meter: String, at: Int64, amount: Int64)] = []
        for row in rows {
            guard let meter = row.text("meter"), counters.contains(meter) else { continue }
            let person = person(row.subject ?? "")
            switch row.type {
            case "usage.recorded":
                let ref = row.text("ref") ?? row.key
                guard seen.insert([person, meter, ref]).inserted,
                    !reversed.contains([person, ref]), !reversed.contains([person, row.key])
                else { continue }
                uses.append((meter, row.at, row.number("amount") ?? 1))
            case "usage.reserved":
                let id = row.text("reservation_id") ?? ""
                guard let end = commits[[person, id]], end.type == "usage.committed",
                    end.at < row.number("expires_at") ?? .max, !reversed.contains([person, id])
                else { continue }
                uses.append(
                    (meter, row.at, end.number("amount") ?? row.number("amount") ?? 1))
            default: continue
            }
        }
        return uses
    }

    /// When attempts to buy began, and whether they were completed within a week.
    var checkouts: [(at: Int64, isDone: Bool)] {
        var began: [String: Int64] = [:]
        var done: [String: Int64] = [:]
        for row in rows {
            guard let attempt = row.text("attempt") else { continue }
            let id = person(row.subject ?? "") + "/" + attempt
            if row.type == "checkout.started" { began[id] = min(began[id] ?? .max, row.at) }
            if row.type == "checkout.completed" { done[id] = min(done[id] ?? .max, row.at) }
        }
        return began.map { id, at in (at, done[id].map { $0 - at <= 7 * Self.day } ?? false) }
    }

    /// The scores of surveys, with when they were given.
    var scores: [(survey: String, at: Int64, score: Int64)] {
        rows.filter { $0.type == "survey.answered" }.map {
            ($0.text("survey") ?? "", $0.at, $0.number("score") ?? -1)
        }
    }

    /// The variant that each person saw first, of an experiment.
    func exposures(_ experiment: String) -> [String: (variant: String, at: Int64)] {
        var found: [String: (variant: String, at: Int64)] = [:]
        for row in rows
        where row.type == "experiment.exposed" && row.text("experiment") == experiment {
            let person = person(row.subject ?? "")
            if found[person] == nil { found[person] = (row.text("variant") ?? "", row.at) }
        }
        return found
    }
}
