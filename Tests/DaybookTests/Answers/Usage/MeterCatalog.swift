import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting

/// A catalog with a meter of every kind and period, in New York.
enum MeterCatalog {
    static let start = instant("2026-01-31T15:00:00Z")

    static let text = """
        app: meters
        title: Meters
        defaultTimeZone: America/New_York
        groups: [Club]
        products:
          club.monthly:
            kind: autoRenewable
            group: Club
            level: 2
            period: P1M
            introOffer: { kind: freeTrial, duration: P7D }
            entitlements: [club]
          club.yearly:
            kind: autoRenewable
            group: Club
            level: 1
            period: P1Y
            entitlements: [club]
        entitlements:
          club: [chat]
        features:
          chat:
        meters:
          daily: { kind: counter, period: P1D, limit: 2 }
          weekly: { kind: counter, period: P1W, limit: 2 }
          quarterly: { kind: counter, period: P3M, limit: 2 }
          half: { kind: counter, period: P6M, limit: 2 }
          yearly: { kind: counter, period: P1Y, limit: 2 }
          own: { kind: counter, period: P1M, anchor: firstSeen, limit: 2 }
          fixed: { kind: counter, period: PT720H, limit: 2 }
          stated: { kind: counter, period: P1M, anchor: 2026-03-15T13:00:00Z, limit: 2 }
          billed: { kind: counter, period: P1M, anchor: billing, limit: 1, limitsWith: { club: 5 } }
          plan: { kind: counter, period: calendarMonth, limit: 1, limitsWith: { club: 5 } }
          ever: { kind: counter, limit: 2 }
          units: { kind: counter, limit: 0, allowsDebt: true }
          monthly: { kind: counter, period: calendarMonth, limit: 2 }
          boxes: { kind: gauge, limit: 2 }
          storage: { kind: reading, aliases: [disk], limit: 10, limitsWith: { club: 100 } }
          memory: { kind: window, limit: 30 }

        """

    /// A ledger whose customer was first seen on 31 January, 10:00 in New York.
    static func fixture(now: String = "2027-12-31T00:00:00Z") async throws -> LedgerFixture {
        let fixture = try await LedgerFixture(
            "meters", document: Array(text.utf8), now: instant(now))
        try await fixture.record(
            .reported(
                .subjectCreated, at: start, key: "seen",
                ["first_seen_at": .integer(start), "tz": "America/New_York"]))
        return fixture
    }
}

extension LedgerFixture {
    /// `used/remaining` of a meter at a time in RFC 3339.
    func numbers(_ name: String, _ time: String) throws -> String {
        let answer = try meter(name, at: instant(time))
        return "\(answer?.used ?? -1)/\(answer?.remaining ?? -1)"
    }
}
