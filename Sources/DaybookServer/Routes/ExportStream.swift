import Daybook
import DaybookEvents

/// All events up to a place, as `daybook export` writes them, page by page while the reader takes them.
struct ExportStream: Sendable {
    let ledger: ServedLedger
    let environment: Environment?
    /// The position of the last line that the client has; 0: none.
    let start: Int64
    /// Where the export ends. It names everything before, so that one that goes on is of the same history.
    let end: Place
    let ticket: StreamTicket
    let admission: @Sendable () async throws -> Void

    /// Positions that are looked at for one page.
    private static let pageCount: Int64 = 500

    var answer: Answer {
        var answer = Answer.stream(mediaType: "application/x-ndjson") { writer in
            defer { withExtendedLifetime(ticket) {} }
            var position = start
            while position < end.position {
                let last = min(position + Self.pageCount, end.position)
                try await admission()
                let bytes = try await page(after: position, through: last)
                if !bytes.isEmpty { try await writer.write(bytes) }
                position = last
                ticket.note(position)
            }
        }
        answer.headers[.place] = end.description
        return answer
    }

    private func page(after position: Int64, through last: Int64) async throws -> [UInt8] {
        try await ledger.askingPatiently { ledger in
            // A ledger that was restored meanwhile has other events here: the client gets no end of its lines.
            try ledger.confirm(end)
            var bytes: [UInt8] = []
            try ledger.export(after: position, through: last, environment: environment) {
                bytes += $0
            }
            return bytes
        }
    }
}
