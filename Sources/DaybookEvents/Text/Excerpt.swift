extension String {
    /// At most its first 64 bytes, for messages.
    var excerpt: String {
        utf8.count <= 64 ? self : String(decoding: utf8.prefix(64), as: UTF8.self) + "…"
    }
}
