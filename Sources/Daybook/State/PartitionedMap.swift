package import DaybookDomain
import DaybookEvents

/// A key that says which part of a map it belongs to.
package protocol Partitioned: Hashable, Sendable {
    /// Spread over all bits, or over the lower ones at least.
    var partition: UInt32 { get }
}

extension UInt32: Partitioned {
    package var partition: UInt32 { self }
}

extension CustomerKey: Partitioned {
    package var partition: UInt32 { name }
}

/// The parts of a table, of which copies share all but what was changed since.
///
/// They lie in groups of 64, so that the first change after a copy copies the references of one group and those to the
/// groups.
private struct PartList<Part: AnyObject & Sendable>: Sendable {
    /// Changed only while one list alone refers to it, so that there is nothing to find out at every access.
    private final class Group: @unchecked Sendable {
        @exclusivity(unchecked) var parts: [Part]
        init(_ parts: [Part]) { self.parts = parts }
    }

    static var groupSize: Int { 64 }

    private var groups: [Group] = []

    var isEmpty: Bool { groups.isEmpty }

    subscript(index: Int) -> Part { groups[index / Self.groupSize].parts[index % Self.groupSize] }

    func forEach(_ body: (Part) -> Void) {
        for group in groups { for part in group.parts { body(part) } }
    }

    /// Puts the same part into every place, which the first change of a place copies.
    mutating func fill(with part: Part, groups count: Int) {
        let group = Group(Array(repeating: part, count: Self.groupSize))
        groups = Array(repeating: group, count: count)
    }

    mutating func append(_ part: Part) {
        if let last = groups.indices.last, groups[last].parts.count < Self.groupSize {
            own(last).parts.append(part)
        } else {
            groups.append(Group([part]))
        }
    }

    mutating func removeLast() {
        let last = groups.count - 1
        own(last).parts.removeLast()
        if groups[last].parts.isEmpty { groups.removeLast() }
    }

    /// A part that nothing else refers to.
    /// - Parameter copy: Makes one with the same content.
    mutating func own(_ index: Int, copy: (Part) -> Part) -> Part {
        let group = own(index / Self.groupSize)
        let place = index % Self.groupSize
        if !isKnownUniquelyReferenced(&group.parts[place]) {
            group.parts[place] = copy(group.parts[place])
        }
        return group.parts[place]
    }

    private mutating func own(_ index: Int) -> Group {
        if !isKnownUniquelyReferenced(&groups[index]) {
            groups[index] = Group(groups[index].parts)
        }
        return groups[index]
    }
}

/// A dictionary of which copies share all but what was changed since.
///
/// A state is copied to be read while commits go on. The first change of a dictionary that is shared copies all of it,
/// whatever its size; here it copies one of 4,096 parts.
package struct PartitionedMap<Key: Partitioned, Value: Sendable>: Sendable {
    /// Changed only while one map alone refers to it, so that there is nothing to find out at every access.
    private final class Part: @unchecked Sendable {
        @exclusivity(unchecked) var values: [Key: Value]
        init(_ values: [Key: Value]) { self.values = values }
    }

    private static var groupCount: Int { 64 }

    /// None before the first value.
    private var parts = PartList<Part>()

    package init() {}

    package subscript(key: Key) -> Value? {
        get { parts.isEmpty ? nil : parts[Self.index(of: key)].values[key] }
        set {
            if newValue == nil, parts.isEmpty { return }
            change(Self.index(of: key)) { $0[key] = newValue }
        }
    }

    /// Changes a value in place.
    package mutating func update(
        _ key: Key, default initial: Value, _ body: (inout Value) -> Void
    ) {
        change(Self.index(of: key)) { body(&$0[key, default: initial]) }
    }

    /// In no order.
    package func forEach(_ body: (Key, Value) -> Void) {
        parts.forEach { part in for (key, value) in part.values { body(key, value) } }
    }

    private static func index(of key: Key) -> Int {
        // Numbers that were given one after the other lie in different parts. The upper 12 bits: 4,096.
        Int(truncatingIfNeeded: (key.partition &* 0x9E37_79B1) >> 20)
    }

    private mutating func change(_ index: Int, _ body: (inout [Key: Value]) -> Void) {
        if parts.isEmpty { parts.fill(with: Part([:]), groups: Self.groupCount) }
        body(&parts.own(index) { Part($0.values) }.values)
    }
}

/// An array of which copies share all but the pages that were changed since.
package struct PagedArray<Element: Sendable>: Sendable {
    /// Changed only while one array alone refers to it, so that there is nothing to find out at every access.
    private final class Page: @unchecked Sendable {
        @exclusivity(unchecked) var elements: [Element]

        init(_ elements: [Element]) {
            self.elements = []
            self.elements.reserveCapacity(PagedArray.pageCount)
            self.elements += elements
        }
    }

    /// Small, for the first change after a copy copies a page; 8,192 elements are a group of pages.
    private static var pageCount: Int { 128 }

    private var pages = PartList<Page>()
    package private(set) var count = 0

    package init() {}

    package subscript(index: Int) -> Element {
        get { pages[index / Self.pageCount].elements[index % Self.pageCount] }
        set { update(index) { $0 = newValue } }
    }

    /// All elements, in order.
    package func forEach(_ body: (Element) -> Void) {
        pages.forEach { page in for element in page.elements { body(element) } }
    }

    /// The same as one array.
    package var all: [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        pages.forEach { all += $0.elements }
        return all
    }

    package mutating func update(_ index: Int, _ body: (inout Element) -> Void) {
        change(index / Self.pageCount) { body(&$0[index % Self.pageCount]) }
    }

    package mutating func append(_ element: Element) {
        if count % Self.pageCount == 0 { pages.append(Page([])) }
        change(count / Self.pageCount) { $0.append(element) }
        count += 1
    }

    package mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        var last: Element?
        change(count / Self.pageCount) { last = $0.popLast() }
        if count % Self.pageCount == 0 { pages.removeLast() }
        return last
    }

    private mutating func change(_ page: Int, _ body: (inout [Element]) -> Void) {
        body(&pages.own(page) { Page($0.elements) }.elements)
    }
}
