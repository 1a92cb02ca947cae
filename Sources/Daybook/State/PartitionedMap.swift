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

/// A dictionary of which copies share all but what was changed since.
///
/// A state is copied to be read while commits go on. The first change of a dictionary that is shared copies all of it,
/// whatever its size; here it copies one of 1,024 parts.
package struct PartitionedMap<Key: Partitioned, Value: Sendable>: Sendable {
    /// Changed only while one map alone refers to it, so that there is nothing to find out at every access.
    private final class Part: @unchecked Sendable {
        @exclusivity(unchecked) var values: [Key: Value]
        init(_ values: [Key: Value]) { self.values = values }
    }

    private static var partCount: Int { 1_024 }

    /// None before the first value.
    private var parts: [Part?] = []

    package init() {}

    package subscript(key: Key) -> Value? {
        get { parts.isEmpty ? nil : parts[Self.index(of: key)]?.values[key] }
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
        for part in parts {
            for (key, value) in part?.values ?? [:] { body(key, value) }
        }
    }

    private static func index(of key: Key) -> Int {
        // Numbers that were given one after the other lie in different parts.
        Int(truncatingIfNeeded: (key.partition &* 0x9E37_79B1) >> 22)
    }

    private mutating func change(_ index: Int, _ body: (inout [Key: Value]) -> Void) {
        if parts.isEmpty { parts = Array(repeating: nil, count: Self.partCount) }
        if parts[index] == nil {
            parts[index] = Part([:])
        } else if !isKnownUniquelyReferenced(&parts[index]) {
            parts[index] = Part(parts[index]?.values ?? [:])
        }
        if let part = parts[index] { body(&part.values) }
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

    private static var pageCount: Int { 1_024 }

    private var pages: [Page] = []
    package private(set) var count = 0

    package init() {}

    package subscript(index: Int) -> Element {
        get { pages[index / Self.pageCount].elements[index % Self.pageCount] }
        set { update(index) { $0 = newValue } }
    }

    /// All elements, in order.
    package func forEach(_ body: (Element) -> Void) {
        for page in pages { for element in page.elements { body(element) } }
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
        if !isKnownUniquelyReferenced(&pages[page]) { pages[page] = Page(pages[page].elements) }
        body(&pages[page].elements)
    }
}
