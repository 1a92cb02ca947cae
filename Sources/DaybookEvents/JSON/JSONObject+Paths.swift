extension JSONObject {
    /// The value at a path of one or two names.
    public func value(at path: [String]) -> JSONValue? {
        guard let first = path.first, let index = index(of: first) else { return nil }
        if path.count == 1 { return members[index].value }
        guard case .object(let inner) = members[index].value else { return nil }
        return inner.value(at: Array(path.dropFirst()))
    }

    mutating func removeNull(at path: [String]) {
        guard let first = path.first, let index = index(of: first) else { return }
        let value = members[index].value
        if path.count == 1 {
            if value == .null { self[first] = nil }
        } else if var inner = value.object {
            inner.removeNull(at: Array(path.dropFirst()))
            self[first] = .object(inner)
        } else if value == .null {
            self[first] = nil
        }
    }

    /// Puts a value at a path of names, and makes the objects on the way to it.
    ///
    /// What is no object on the way is replaced by one; an empty path changes nothing.
    public mutating func set(_ value: JSONValue, at path: [String]) {
        guard let first = path.first else { return }
        if path.count == 1 {
            self[first] = value
        } else {
            var inner = self[first]?.object ?? JSONObject()
            inner.set(value, at: Array(path.dropFirst()))
            self[first] = .object(inner)
        }
    }

    /// Removes the value at a path, and the object around it when that leaves it empty.
    mutating func remove(at path: [String]) {
        guard let first = path.first else { return }
        if path.count == 1 {
            self[first] = nil
        } else if var inner = self[first]?.object {
            inner.remove(at: Array(path.dropFirst()))
            self[first] = inner.isEmpty ? nil : .object(inner)
        }
    }
}
