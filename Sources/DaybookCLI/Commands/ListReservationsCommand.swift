import ArgumentParser
import Daybook

struct ListReservationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reservations",
        abstract: "List units that are set aside, neither used nor given back.",
        discussion: """
              daybook list reservations
              daybook list reservations --limit 100 --json
            """)

    @OptionGroup var list: ListOptions

    mutating func run() async throws {
        try await list.show(empty: "no open reservations", cells: \.cells, json: \.json) {
            try $0.openReservations($1)
        }
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
}
