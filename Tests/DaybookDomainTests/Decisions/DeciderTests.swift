import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// Every refusal that the domain decides by itself, and both sides of every bound.
@Suite("Decisions, without a ledger")
struct DeciderTests {
    // MARK: Uses

    @Test(
        "A use is allowed up to the limit, and not one unit beyond",
        arguments: [(0, 3, true), (0, 4, false), (2, 1, true), (2, 2, false), (3, 1, false)]
            as [(Int, Int64, Bool)])
    func limit(_ used: Int, _ amount: Int64, _ isAllowed: Bool) throws {
        let verdict = try Scenario().given(Scenario.used(used)).when(Scenario.consume(amount))
        if isAllowed {
            #expect(verdict.rejection == nil)
            #expect(verdict.events.first?.type == .usageRecorded)
            // The use that takes the last unit says so.
            #expect(verdict.events.count == (Int64(used) + amount == 3 ? 2 : 1))
        } else {
            #expect(
                verdict.rejection
                    == .limitReached(
                        meter: "stories", limit: 3, used: Int64(used), reserved: 0,
                        requested: amount, resetsAt: nil))
            #expect(verdict.events.isEmpty)
        }
    }

    @Test(
        "An amount is at least 1 and at most a thousand million",
        arguments: [Int64.min, -1, 0, EventBounds.amountMax + 1, Int64.max])
    func amounts(_ amount: Int64) throws {
        let reserve = Command.reserve(
            meter: "stories", amount: amount, reservation: "x", timeoutMilliseconds: nil)
        for command in [
            Scenario.consume(amount), reserve,
            .issueGrant(.init(id: "g", target: .meter("stories"), amount: amount)),
        ] {
            #expect(try Scenario().when(command).rejection == .amountOutOfBounds(amount))
        }
        let greatest = try Scenario().when(
            .issueGrant(.init(id: "g", target: .meter("stories"), amount: EventBounds.amountMax)))
        #expect(greatest.rejection == nil)
    }

    @Test("A ref counts once, and not again after it was taken back")
    func refs() throws {
        let again = try Scenario().given(Scenario.used(3)).when(Scenario.consume(1, ref: "s0"))
        #expect(again.rejection == nil && again.isRepeated && again.events.isEmpty)
        let reversed = EventDraft.reported(
            .usageReversed, at: Scenario.now - 1, key: "back", ["target": "s0", "meter": "stories"])
        let taken = try Scenario().given(Scenario.used(1)).given(reversed)
            .when(Scenario.consume(1, ref: "s0"))
        #expect(taken.rejection == .usageReversed(ref: "s0"))
    }

    @Test("What a kind of meter cannot do is refused by its kind")
    func kinds() throws {
        let reserve = Command.reserve(
            meter: "groups", amount: 1, reservation: "x", timeoutMilliseconds: nil)
        let rows: [(Command, String)] = [
            (Scenario.consume(1, "history"), "window"), (Scenario.consume(1, "weight"), "reading"),
            (reserve, "gauge"), (.resetUsage(meter: "groups"), "gauge"),
            (.pin(meter: "stories", ref: "x"), "counter"),
            (
                .issueGrant(.init(id: "g", target: .meter("stories"), amount: 1, every: "period")),
                "counter"
            ),
        ]
        for (command, kind) in rows {
            guard case .wrongKind(_, kind, _)? = try Scenario().when(command).rejection else {
                Issue.record("\(command) was not refused for its \(kind)")
                continue
            }
        }
        #expect(
            try Scenario().when(Scenario.consume(1, "groups", ref: nil)).rejection
                == .ambiguousGauge(meter: "groups"))
        #expect(
            try Scenario("app: plain").when(.pin(meter: nil, ref: "x")).rejection == .noGauge)
    }

    @Test("A gauge is full at its limit, and deleting is always allowed")
    func gauges() throws {
        let full = try Scenario().given(Scenario.used(2, "groups"))
        #expect(
            try full.when(Scenario.consume(1, "groups")).rejection
                == .limitReached(
                    meter: "groups", limit: 2, used: 2, reserved: 0, requested: 1, resetsAt: nil))
        #expect(try full.when(Scenario.consume(-1, "groups", ref: "s0")).rejection == nil)
        let one = try Scenario().given(Scenario.used(1, "groups"))
        #expect(try one.when(Scenario.consume(1, "groups")).rejection == nil)
    }

    @Test("What a meter requires must be open, and a profile must be one that stays writable")
    func gates() throws {
        guard
            case .notEntitled("voices", _)? = try Scenario().when(Scenario.consume(1, "tales"))
                .rejection
        else { return #expect(Bool(false), "a locked meter was used") }
        let open = try Scenario().given(Scenario.bought("forever", "7"))
        #expect(try open.when(Scenario.consume(1, "tales")).rejection == nil)
        let crowded = try Scenario().given(
            Scenario.profile("mia", "child"), Scenario.profile("tom", "child"))
        guard
            case .heldBack("chores", "kids", 1, 2, "tom", _)? = try crowded.when(
                Scenario.consume(1, "chores"), profile: "tom"
            ).rejection
        else { return #expect(Bool(false), "a profile beyond the gauge's limit used a meter") }
        #expect(try crowded.when(Scenario.consume(1, "chores"), profile: "mia").rejection == nil)
    }

    @Test("A name that the catalog lacks is refused, with the nearest one")
    func names() throws {
        let scenario = try Scenario()
        #expect(
            try scenario.when(Scenario.consume(1, "storys")).rejection
                == .unknownName(name: "storys", nearest: "stories"))
        #expect(
            try scenario.when(.expose(experiment: "prize")).rejection
                == .unknownName(name: "prize", nearest: "price"))
        #expect(
            try scenario.when(.issueGrant(.init(id: "g", target: .entitlement("clubs")))).rejection
                == .unknownName(name: "clubs", nearest: "club"))
        #expect(try Scenario(nil).when(Scenario.consume(1)).rejection == .noCatalog)
    }

    // MARK: Reservations

    @Test(
        "A reservation holds until just before its end",
        arguments: [(-1, true), (0, false), (1, false)] as [(Int64, Bool)])
    func reservationEnd(_ offset: Int64, _ isOpen: Bool) throws {
        let end = Scenario.now + 10
        let verdict = try Scenario().given(Scenario.reserved(until: end)).at(end + offset)
            .when(.commit(reservation: "r", amount: nil))
        #expect(
            verdict.rejection == (isOpen ? nil : .reservationExpired("r", expiredAt: end)))
    }

    @Test("A reservation is made once, settled once, and for no more than was set aside")
    func reservations() throws {
        let open = try Scenario().given(Scenario.reserved(2))
        let again = Command.reserve(
            meter: "stories", amount: 1, reservation: "r", timeoutMilliseconds: nil)
        #expect(try open.when(again).rejection == .reservationExists("r"))
        #expect(try open.when(.commit(reservation: "r", amount: 2)).rejection == nil)
        for amount in [0, 3] as [Int64] {
            #expect(
                try open.when(.commit(reservation: "r", amount: amount)).rejection
                    == .amountOutOfBounds(amount))
        }
        #expect(
            try open.when(.release(reservation: "q")).rejection == .unknownReservation("q"))
        let released = EventDraft.reported(
            .usageReleased, at: Scenario.now - 1, key: "free", ["reservation_id": "r"])
        #expect(
            try open.given(released).when(.commit(reservation: "r", amount: nil)).rejection
                == .reservationClosed("r"))
        // What is set aside is not there for others.
        #expect(
            try open.when(Scenario.consume(2)).rejection
                == .limitReached(
                    meter: "stories", limit: 3, used: 0, reserved: 2, requested: 2, resetsAt: nil))
        #expect(try open.when(Scenario.consume(1)).rejection == nil)
    }

    @Test("A use is taken back by its ref, where just one meter has it")
    func reversals() throws {
        let scenario = try Scenario().given(Scenario.used(1)).given(Scenario.used(1, "tales"))
        #expect(
            try scenario.when(.reverseUsage(target: "s0")).rejection
                == .ambiguousUsage("s0", meters: ["stories", "tales"]))
        #expect(try scenario.when(.reverseUsage(target: "s0", meter: "tales")).rejection == nil)
        #expect(try scenario.when(.reverseUsage(target: "s9")).rejection == .unknownUsage("s9"))
    }

    // MARK: Grants, overrides, zones

    @Test("A grant has a new id, a known reason and bounds that fit")
    func grants() throws {
        let given = EventDraft.reported(
            .grantIssued, at: Scenario.now - 9, key: "g",
            [
                "grant_id": "g", "entitlement": "club", "starts_at": .integer(Scenario.now - 9),
                "reason": "support", "unlimited": true,
            ])
        let scenario = try Scenario().given(given)
        #expect(
            try scenario.when(.issueGrant(.init(id: "g", target: .entitlement("club")))).rejection
                == .grantExists("g"))
        #expect(try scenario.when(.voidGrant(grant: "g")).rejection == nil)
        #expect(try scenario.when(.voidGrant(grant: "h")).rejection == .unknownGrant("h"))
        func refused(_ change: (inout Command.GrantTerms) -> Void) throws -> Rejection? {
            var terms = Command.GrantTerms(id: "n", target: .meter("stories"), amount: 5)
            change(&terms)
            return try scenario.when(.issueGrant(terms)).rejection
        }
        #expect(try refused { _ in } == nil)
        guard case .unknownWord("whim", _, _)? = try refused({ $0.reason = "whim" }),
            case .unknownWord("P9D", _, _)? = try refused({ $0.every = "P9D" })
        else { return #expect(Bool(false), "a word of no list was taken") }
        #expect(try refused { $0.rollover = .init(least: 2, most: 2) } == nil)
        #expect(try refused { $0.rollover = .init(least: 3, most: 2) } == .amountOutOfBounds(3))
        #expect(try refused { $0.rollover = .init(least: -1, most: 2) } == .amountOutOfBounds(-1))
    }

    @Test("Overrides are for tests, known, and end later than now")
    func overrides() throws {
        func verdict(_ kind: String, until end: Int64?, _ environment: Environment = .sandbox)
            throws -> Rejection?
        {
            try Scenario().when(
                .setOverride(kind: kind, value: nil, expiresAt: end), environment: environment
            ).rejection
        }
        #expect(try verdict("expire_trial", until: nil) == nil)
        #expect(try verdict("expire_trial", until: nil, .production) == .overrideForbidden)
        #expect(try verdict("make_rich", until: nil) == .unknownOverride("make_rich"))
        #expect(
            try verdict("expire_trial", until: Scenario.now)
                == .overrideEnded(expiresAt: Scenario.now))
        #expect(try verdict("expire_trial", until: Scenario.now + 1) == nil)
        #expect(
            try Scenario().when(.changeTimeZone("Mars/Base")).rejection
                == .unknownTimeZone("Mars/Base"))
        #expect(try Scenario().when(.changeTimeZone("UTC")).rejection == nil)
    }
}
