/// Writes an envelope's members, which come in ascending order, and its extras between them.
struct EnvelopeWriter: ~Copyable {
    private var json: JSONWriter
    private let extras: [JSONObject.Member]
    /// How many of the extras are written.
    private var extraCount = 0
    private var isFirst = true

    /// - Parameter json: What is written before; the envelope is appended.
    init(_ json: consuming JSONWriter, extras: [JSONObject.Member]) {
        self.json = json
        self.extras = extras
        self.json.character("{")
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
        if extraCount < extras.count { writeExtras(before: "\(name)") }
        begin()
        json.name(name)
        write(&json)
    }

    mutating func text(_ name: StaticString, _ text: String?) {
        if let text { member(name) { $0.string(text) } }
    }

    mutating func integer(_ name: StaticString, _ number: Int64?) {
        if let number { member(name) { $0.integer(number) } }
    }

    private mutating func begin() {
        if !isFirst { json.character(",") }
        isFirst = false
    }

    /// - Parameter name: `nil`: all that are left.
    private mutating func writeExtras(before name: String?) {
        while extraCount < extras.count {
            let extra = extras[extraCount]
            if let name, !precedesInBytes(extra.name, name) { return }
            extraCount += 1
            begin()
            json.string(extra.name)
            json.character(":")
            json.write(extra.value)
        }
    }

    /// What was written before, with the envelope behind it.
    consuming func finished() -> JSONWriter {
        writeExtras(before: nil)
        json.character("}")
        return json
    }
}
