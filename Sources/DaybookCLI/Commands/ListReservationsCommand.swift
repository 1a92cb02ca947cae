import ArgumentParser
import Daybook
import DaybookEvents

struct ListReservationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reservations",
        abstract: "List units that are set aside, neither used nor given back.",
        discussion: """
              daybook list reservations
              daybook list reservations --limit 100 --json
            """)

    @OptionGroup var page: ListPageOptions
    @OptionGroup var ask: AskOptions

    mutating func run() async throws {
        let request = try page.request(ask)
        let found = try await ask.ledger.asking { try $0.openReservations(request) }
        try found.show(
            ask.output, "reservations",
            empty: "no open reservations", cells: \.cells, json: \.json)
    }
}

extension ReservationRow {
    fileprivate var cells: [Table.Cell] {
        [
            .init(subject, .bold), .init(reservation.name),
            .init(String(reservation.amount), isRight: true), .init(reservation.meter),
            .init("until \(Words.time(reservation.expiresAt))"), .init("@\(position)", .dim),
        ]
    }

    fileprivate var json: JSONObject {
        [
            "subject": .string(subject), "reservation": .string(reservation.name),
            "meter": .string(reservation.meter), "amount": .integer(reservation.amount),
            "profile": .orNull(reservation.profile),
            "reserved_at": .time(reservation.reservedAt),
            "expires_at": .time(reservation.expiresAt), "position": .integer(position),
        ]
    }
}
