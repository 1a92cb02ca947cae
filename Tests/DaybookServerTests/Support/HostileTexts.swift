/// What no well-meaning client sends; none of it may be done.
enum HostileTexts {
    /// - Parameter key: The header with which some of them are sent, so that access alone does not refuse them.
    static func all(_ key: (String, String)) -> [String] {
        let consume = "POST /v1/dozzi/customers/c0/consume HTTP/1.1\r\nhost: x\r\n"
        let signed = consume + "\(key.0): \(key.1)\r\n"
        return [
            "GET\r\n\r\n", signed + "content-length: 5\r\ncontent-length: 19\r\n\r\n{}",
            consume + String(repeating: "x: y\r\n", count: 10_000) + "\r\n",
            signed + "content-length: 104857600\r\n\r\n",
            signed + "content-length: 20\r\n\r\n{\"meter\":", "GET /health HTTP/1.1\r\nx: ",
            signed + "content-length: 9\r\n\r\n{{{{{{{{{", consume + "content-length: 2\r\n\r\n{}",
            "GET /v1/dozzi/../../etc/passwd HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        ]
    }
}
