import DaybookEvents
import DaybookIngest
import Foundation
import Testing

@Suite("Command line: asking whether certificates were withdrawn")
struct OnlineTests {
    @Test("Without an answer a payload waits as a dead letter, and is taken in by a retry")
    func unanswered() throws {
        let bench = try Workbench()
        let ledger = try bench.begin()
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let day: Int64 = 86_400_000
        // No process listens on port 9 of this machine.
        let authority = try SandboxAuthority(
            seed: Array("online".utf8), from: now - 400 * day, until: now + 400 * day, flaw: nil,
            responder: "http://127.0.0.1:9/ocsp")
        try bench.write(authority.rootPEM, to: "root.pem")
        let transaction = SandboxTransaction(
            bundleID: "com.dozzi.app", productID: "com.dozzi.unlimited_stories",
            type: .nonConsumable, transactionID: "77", purchasedAt: now - day)
        try bench.write(try authority.sign(transaction), to: "purchase.jws")
        let believing =
            "--bundle-id com.dozzi.app --root root.pem --env test --json --ledger \(ledger)"
        let take = "ingest purchase.jws --as app-store-transaction --subject ada \(believing)"
        let refused = try bench.run("\(take) --online")
        #expect(refused.status == 3)
        #expect((refused.output + refused.errors).has("could not be learnt"))
        let restored = try bench.run(
            "restore-purchases ada purchase.jws \(believing) --online --dry-run")
        #expect((restored.output + restored.errors).has("could not be learnt"))
        let deadLetters = try bench.run("dead-letters list --json --ledger \(ledger)").output
        #expect(deadLetters.has("retryable"))
        #expect(try bench.run("dead-letters retry \(believing) --online").status == 3)
        #expect(try bench.run("dead-letters retry \(believing) --offline").status == 0)
        #expect(
            try bench.run("check ada unlimitedStories --env test --ledger \(ledger)").status == 0)
        let both = try bench.run("\(take) --online --offline")
        #expect(both.status == 2)
        #expect(both.errors.has("opposites"))
    }
}
