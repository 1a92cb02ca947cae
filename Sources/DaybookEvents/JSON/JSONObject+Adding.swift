extension JSONObject {
    /// The object with the members of another one, which take the place of its own.
    package func adding(_ other: JSONObject) -> JSONObject {
        other.members.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
