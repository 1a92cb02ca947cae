/// Writes an envelope's members, which come in ascending order, and its extras between them.
struct EnvelopeWriter {
    private var json = JSONWriter(reserving: 512)
    private var extras: ArraySlice<JSONObject.Member>
    private var isFirst = true

    init(extras: [JSONObject.Member]) {
        self.extras = extras[...]
        json.raw("{")
    }

    mutating func member(_ name: String, _ write: (inout JSONWriter) -> Void) {
        while let extra = extras.first, precedesInBytes(extra.name, name) {
            extras.removeFirst()
            begin(extra.name)
            json.write(extra.value)
        }
        begin(name)
        write(&json)
    }

    mutating func text(_ name: String, _ text: String?) {
        if let text { member(name) { $0.string(text) } }
    }

    mutating func integer(_ name: String, _ number: Int64?) {
        if let number { member(name) { $0.raw(String(number)) } }
    }

    private mutating func begin(_ name: String) {
        if !isFirst { json.raw(",") }
        isFirst = false
        json.string(name)
        json.raw(":")
    }

    mutating func finished() -> [UInt8] {
        for extra in extras {
            begin(extra.name)
            json.write(extra.value)
        }
        json.raw("}")
        return json.bytes
    }
}
