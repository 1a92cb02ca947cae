import DaybookEvents

/// Names what an answer says, so that a client that has it is spared its bytes (RFC 9110 §8.8.3).
enum EntityTag {
    /// A weak tag: the cut of an answer (`as_of`) moves with the clock, and says nothing about the customer.
    static func of(_ object: JSONObject) -> String {
        var object = object
        object["as_of"] = nil
        return "W/\"\(Digest.hexadecimal(Digest.sha256(object.canonicalBytes).prefix(16)))\""
    }

    /// Whether `If-None-Match` names the tag, or is `*` (RFC 9110 §13.1.2, by weak comparison).
    static func isNamed(_ tag: String, in header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { part in
            let name = part.drop { $0 == " " }
            let bare = name.hasPrefix("W/") ? name.dropFirst(2) : name
            return name == "*" || bare == tag.dropFirst(2)
        }
    }
}

extension Answer {
    /// An answer about a customer, or 304 without a body where the client has it.
    /// - Parameter header: The request's `If-None-Match`.
    static func tagged(_ object: JSONObject, ifNoneMatch header: String?) -> Answer {
        let tag = EntityTag.of(object)
        var answer =
            EntityTag.isNamed(tag, in: header) ? Answer(status: .notModified) : .json(object)
        answer.headers[.eTag] = tag
        answer.headers[.cacheControl] = "private, no-cache"
        return answer
    }
}
