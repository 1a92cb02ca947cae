import Daybook
import DaybookDomain
import DaybookEvents

/// The first act: every recorded stream, and what its customers may do at its end.
struct DemoStreams {
    /// What one stream came to.
    struct Outcome {
        var name: String
        var events: Int64
        var subject: String?
        var status: Status?
        var digest: String?
        var agrees: Bool
        var problem: String?
    }

    let app: DemoFolder.App
    let temporaryFolder: String

    func play() async -> [Outcome] {
        guard !app.streams.isEmpty else { return await newcomer() }
        var outcomes: [Outcome] = []
        for path in app.streams {
            let name = path.split(separator: "/").last.map { String($0.dropLast(7)) } ?? path
            do {
                outcomes.append(try await play(path, name))
            } catch {
                let message = Failure(error)?.message ?? "\(error)"
                outcomes.append(
                    Outcome(name: name, events: 0, agrees: false, problem: message))
            }
        }
        return outcomes
    }

    /// An app without streams still has rules for a customer who was never seen.
    private func newcomer() async -> [Outcome] {
        var outcome = Outcome(name: "nothing recorded yet", events: 0, agrees: true)
        do {
            let document = try InputFile(app.catalog).all()
            let ledger = try Ledger(inMemory: app.name)
            try await ledger.publish(CatalogPublication(document: document))
            outcome.subject = "newcomer"
            outcome.status = try ledger.status(of: "newcomer").status
        } catch {
            outcome.problem = Failure(error)?.message ?? "\(error)"
        }
        return [outcome]
    }

    private func play(_ path: String, _ name: String) async throws -> Outcome {
        let file = "\(temporaryFolder)/\(app.name)-\(name).sqlite"
        let ledger = try await StreamFile(path: path).load(into: file)
        return try await LedgerOptions.using(ledger) { ledger in
            let replay = try ledger.replay(workers: 2)
            var outcome = Outcome(
                name: name, events: try ledger.head().position,
                digest: replay.digest.description,
                agrees: replay.agrees && replay.differences.isEmpty)
            for environment in Environment.allCases where outcome.subject == nil {
                outcome.subject = try ledger.subjects(in: environment).first
                if let subject = outcome.subject {
                    outcome.status = try ledger.status(of: subject, environment: environment).status
                }
            }
            return outcome
        }
    }
}

extension DemoStreams.Outcome {
    var json: JSONObject {
        [
            "stream": .string(name), "events": .integer(events), "subject": .orNull(subject),
            "status": .orNull(status?.status), "text": .orNull(status?.display?.text),
            "digest": .orNull(digest), "agrees": .bool(agrees), "problem": .orNull(problem),
        ]
    }
}
