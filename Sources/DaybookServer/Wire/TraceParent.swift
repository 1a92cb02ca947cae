import HTTPTypes

/// Under which trace a request runs that another service began
/// (https://www.w3.org/TR/trace-context/#traceparent-header).
enum TraceParent {
    /// The id of the trace: 32 hexadecimal digits; `nil` for a header that is missing or is none: it is ignored.
    static func trace(_ headers: HTTPFields) -> String? {
        guard let header = headers[.traceParent] else { return nil }
        let parts = header.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            zip(parts, [2, 32, 16, 2]).allSatisfy({ isHexadecimal($0, $1) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        return String(parts[1])
    }

    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
