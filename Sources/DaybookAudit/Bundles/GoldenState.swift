package import Daybook
package import DaybookEvents

/// Asks a ledger everything that a golden file tells about the customers of one stream.
package struct GoldenState {
    /// Questions about one customer: enough to see every turn of a short stream.
    private static let momentCountMax = 12
    /// 2026-12-31T00:00:00Z: after every stream, so that what time does by itself is seen too.
    private static let lastMoment: Int64 = 1_798_675_200_000

    private let ledger: Ledger
    private let drafts: [EventDraft]

    /// - Parameter drafts: What the ledger holds, in the order in which it was recorded, less a catalog that every
    ///   stream of the app has.
    package init(ledger: Ledger, drafts: [EventDraft]) {
        self.ledger = ledger
        self.drafts = drafts
    }

    package func object() throws -> JSONObject {
        let (digest, aggregateCount) = try ledger.digest()
        var subjects = JSONObject()
        for environment in Environment.allCases {
            for subject in try ledger.subjects(in: environment) {
                // Production goes without saying.
                let name = environment == .production ? subject : "\(environment.name)/\(subject)"
                let answers = try questions(about: subject, environment).map {
                    try answer($0, subject, environment)
                }
                subjects[name] = ["answers": .array(answers)]
            }
        }
        return [
            "digest": .string(digest.description), "events": .count(drafts.count),
            "aggregates": .count(aggregateCount), "subjects": .object(subjects),
        ]
    }

    // MARK: Moments

    /// What changes the answers about times before it.
    private static let rewriting: Set<EventTypeName> = [
        .correctionVoided, .correctionAmended, .subjectAliased, .subjectUnaliased,
        .purchaseRefundReversed,
    ]

    private struct Question {
        var at: Int64
        var knownAt: Int64?
    }

    /// The times at which something happened to the customer, the end of the year, and the end of the year as it was
    /// known before each event that came late or changed what was before it.
    private func questions(about subject: String, _ environment: Environment) -> [Question] {
        let events = events(about: subject, environment)
        let moments = Set(events.compactMap(\.occurredAt)).subtracting([Self.lastMoment]).sorted()
        var questions = Self.evenly(moments, Self.momentCountMax - 1).map { Question(at: $0) }
        questions.append(Question(at: Self.lastMoment))
        var newest = Int64.min
        var known: Set<Int64> = []
        for event in events {
            let occurredAt = event.occurredAt ?? newest
            let isLate = occurredAt < newest || Self.rewriting.contains(event.type)
            if isLate, let recordedAt = event.recordedAt {
                known.insert(recordedAt - 1)
            }
            newest = max(newest, occurredAt)
        }
        return questions + known.sorted().map { Question(at: Self.lastMoment, knownAt: $0) }
    }

    /// The events that name a customer, and those of the lineages that these belong to, in the order of the stream.
    private func events(about subject: String, _ environment: Environment) -> [EventDraft] {
        let own = drafts.filter { $0.environment == environment }
        let members: Set<String> = ["from", "to", "alias", "canonical"]
        let naming = own.filter { draft in
            draft.subject == subject
                || draft.data.members.contains {
                    members.contains($0.name) && $0.value.text == subject
                }
        }
        let lineages = Set(naming.map(EventRouter.stream(of:)).filter { $0.kind == .lineage })
        let keys = Set(naming.compactMap(\.source.key))
        return own.filter { draft in
            naming.contains(draft) || lineages.contains(EventRouter.stream(of: draft))
                || keys.contains(draft.data.value(at: ["target", "key"])?.text ?? "")
        }
    }

    /// At most `count` of some values, the first and the last among them.
    private static func evenly(_ values: [Int64], _ count: Int) -> [Int64] {
        guard values.count > count else { return values }
        return (0..<count).map { values[$0 * (values.count - 1) / (count - 1)] }
    }

    // MARK: Answers

    private func answer(
        _ question: Question, _ subject: String, _ environment: Environment
    ) throws -> JSONValue {
        let moment = Moment(
            at: question.at, knownAt: question.knownAt.map(Moment.Knowledge.instant))
        let (status, _) = try ledger.status(of: subject, environment: environment, moment: moment)
        let catalog = try ledger.catalogs().newest?.catalog
        let features = catalog?.features ?? []
        func decisions(_ names: [String], profile: String?) throws -> JSONValue {
            var object = JSONObject()
            for name in names {
                let (decision, _) = try ledger.check(
                    CheckQuestion(name, profile: profile), for: subject, environment: environment,
                    moment: moment)
                object[name] = [
                    "allowed": .bool(decision.allowed), "reason": .string(decision.reason.rawValue),
                ]
            }
            return .object(object)
        }
        var profiles = JSONObject()
        for profile in status.profiles {
            let name = profile.profile.profile
            let (own, _) = try ledger.status(
                of: subject, profile: name, environment: environment, moment: moment)
            var object = Self.compact(own)
            object["features"] = try decisions(
                features.filter { $0.scope == .profile }.map(\.name), profile: name)
            object["free_days_remaining"] = profile.freeDaysRemaining.map(JSONValue.integer)
            object["is_deleted"] = .bool(profile.profile.isDeleted)
            profiles[name] = .object(object)
        }
        var object = Self.compact(status)
        object["features"] = try decisions(features.map(\.name), profile: nil)
        object["meters"] = Self.meters(status.meters)
        object["profiles"] = .object(profiles)
        return [
            "at": .integer(question.at),
            "known_at": question.knownAt.map(JSONValue.integer) ?? .null, "status": .object(object),
        ]
    }

    private static func compact(_ status: Status) -> JSONObject {
        var entitlements = JSONObject()
        for answer in status.entitlements {
            entitlements[answer.name] = [
                "active": .bool(answer.isActive), "state": .string(answer.state.rawValue),
                "expires_at": answer.expiresAt.map(JSONValue.integer) ?? .null,
                "will_renew": .bool(answer.willRenew),
                "source": answer.winner.map { .string("\($0.kind.rawValue):\($0.id)") } ?? .null,
            ]
        }
        return [
            "status": status.status.map(JSONValue.string) ?? .null,
            "text": status.display.map { .string($0.text) } ?? .null,
            "entitlements": .object(entitlements),
        ]
    }

    private static func meters(_ meters: [MeterAnswer]) -> JSONValue {
        var object = JSONObject()
        for meter in meters {
            object[meter.name] = [
                "used": .integer(meter.used), "reserved": .integer(meter.reserved),
                "limit": meter.limit.map(JSONValue.integer) ?? .null,
                "remaining": meter.remaining.map(JSONValue.integer) ?? .null,
                "overage": .integer(meter.overage),
            ]
        }
        return .object(object)
    }
}
