import DaybookDomain
import DaybookEvents
import Testing

/// Rule 16: the bytes whose digest binds a key for ever. None of these lines may ever change.
@Suite("Bodies of commands")
struct CommandBodyTests {
    static let bodies: [(Command, String)] = [
        (
            .consume(meter: "stories", amount: 1, ref: "s1"),
            #""consume","data":{"amount":1,"meter":"stories","ref":"s1"}"#
        ),
        (
            .consume(meter: "stories", amount: Int64.min, ref: nil),
            #""consume","data":{"amount":-9223372036854775808,"meter":"stories"}"#
        ),
        (
            .reserve(meter: "m", amount: 2, reservation: "r1", timeoutMilliseconds: 5),
            #""reserve","data":{"amount":2,"meter":"m","reservation":"r1","timeout_ms":5}"#
        ),
        (
            .commit(reservation: "r1", amount: nil), #""commit","data":{"reservation":"r1"}"#
        ),
        (
            .commit(reservation: "r1", amount: 1),
            #""commit","data":{"amount":1,"reservation":"r1"}"#
        ),
        (.release(reservation: "r1"), #""release","data":{"reservation":"r1"}"#),
        (.reverseUsage(target: "s1"), #""reverse_usage","data":{"target":"s1"}"#),
        (
            .reverseUsage(target: "s1", meter: "m"),
            #""reverse_usage","data":{"meter":"m","target":"s1"}"#
        ),
        (.resetUsage(meter: "m"), #""reset_usage","data":{"meter":"m"}"#),
        (.pin(meter: nil, ref: "rex"), #""pin","data":{"ref":"rex"}"#),
        (.pin(meter: "m", ref: "rex"), #""pin","data":{"meter":"m","ref":"rex"}"#),
        (.redeem(code: "0AB3-K7QZ-MX29"), #""redeem","data":{"code":"0AB3-K7QZ-MX29"}"#),
        (.expose(experiment: "price"), #""expose","data":{"experiment":"price"}"#),
        (
            .issueGrant(
                .init(
                    id: "g", target: .meter("m"), amount: 5, startsAt: 1, expiresAt: 9,
                    priority: 3, profile: "rex", reason: "promo")),
            #""issue_grant","data":{"amount":5,"expires_at":9,"id":"g","meter":"m","priority":3,"profile":"rex","reason":"promo","starts_at":1}"#
        ),
        (
            .issueGrant(.init(id: "g", target: .entitlement("premium"))),
            #""issue_grant","data":{"entitlement":"premium","id":"g","reason":"support"}"#
        ),
        (
            .issueGrant(.init(id: "g", target: .feature("export"))),
            #""issue_grant","data":{"feature":"export","id":"g","reason":"support"}"#
        ),
        (.voidGrant(grant: "g"), #""void_grant","data":{"grant":"g"}"#),
        (
            .createProfile(profile: "rex", kind: "puppy", freeStartedAt: 7),
            #""create_profile","data":{"free_started_at":7,"kind":"puppy","profile":"rex"}"#
        ),
        (.deleteProfile(profile: "rex"), #""delete_profile","data":{"profile":"rex"}"#),
        (
            .assignPurchase(transaction: "1", profile: "rex"),
            #""assign_purchase","data":{"profile":"rex","transaction":"1"}"#
        ),
        (.unassignPurchase(transaction: "1"), #""unassign_purchase","data":{"transaction":"1"}"#),
        (
            .transferLineage("apple:1", to: "bob"),
            #""transfer_line","data":{"line":"apple:1","to":"bob"}"#
        ),
        (
            .undoTransfer(lineage: "apple:1", isForced: false),
            #""undo_transfer","data":{"line":"apple:1"}"#
        ),
        (
            .undoTransfer(lineage: "apple:1", isForced: true),
            #""undo_transfer","data":{"force":true,"line":"apple:1"}"#
        ),
        (.alias(to: "bob"), #""alias","data":{"to":"bob"}"#),
        (.unalias(from: "bob"), #""unalias","data":{"from":"bob"}"#),
        (.changeTimeZone("UTC"), #""change_time_zone","data":{"tz":"UTC"}"#),
        (
            .voidEvent(source: "native", key: "k"),
            #""void_event","data":{"key":"k","source":"native"}"#
        ),
        (
            .amendEvent(source: "native", key: "k", patch: ["b": nil, "a": 1]),
            #""amend_event","data":{"key":"k","patch":{"a":1,"b":null},"source":"native"}"#
        ),
        (
            .setOverride(kind: "expire_trial", value: "x", expiresAt: 9),
            #""set_override","data":{"expires_at":9,"kind":"expire_trial","value":"x"}"#
        ),
        (.clearOverride(kind: nil), #""clear_override","data":{}"#),
        (
            .clearOverride(kind: "expire_trial"),
            #""clear_override","data":{"kind":"expire_trial"}"#
        ),
    ]

    @Test("The canonical bytes of every command are what they always were", arguments: bodies)
    func bytes(_ command: Command, _ expected: String) {
        let body = CommandRequest(command, subject: "ada").body.canonicalBytes
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"command":\#(expected),"environment":"production","subject":"ada","v":1}"#)
    }

    @Test("The ticket of a correction stands among its data, where it always was")
    func ticket() {
        let bodies = [Command.voidEvent(source: "native", key: "k"), .voidGrant(grant: "g")].map {
            String(
                decoding: CommandRequest($0, subject: "ada", ticket: "T").body.canonicalBytes,
                as: UTF8.self)
        }
        #expect(
            bodies == [
                #"{"command":"void_event","data":{"key":"k","source":"native","ticket":"T"},"environment":"production","subject":"ada","v":1}"#,
                #"{"command":"void_grant","data":{"grant":"g"},"environment":"production","subject":"ada","ticket":"T","v":1}"#,
            ])
    }

    @Test("Everything that the caller sent is in the body, and nothing else")
    func envelope() {
        let request = CommandRequest(
            .release(reservation: "r"), subject: "ada", environment: .sandbox, key: "k",
            profile: "rex", actor: "kim", reason: "why", clientAt: 5, expectedVersion: 4)
        #expect(
            String(decoding: request.body.canonicalBytes, as: UTF8.self)
                == #"{"actor":"kim","client_at":5,"command":"release","data":{"reservation":"r"},"environment":"sandbox","expected_version":4,"profile":"rex","reason":"why","subject":"ada","v":1}"#
        )
        #expect(EventJSON.requestDigest(request.body) == 3_847_494_447_871_232_736)
    }
}
