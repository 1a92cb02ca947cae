/// Puts what was added among elements that are given in ascending order; of equal ones those that are given come first.
package struct OrderedMerge<Element> {
    private let added: [Element]
    private let precedes: (Element, Element) -> Bool
    private var next = 0

    /// - Parameters:
    ///   - added: Ascending.
    ///   - precedes: Whether one element stands before another one.
    package init(_ added: [Element], _ precedes: @escaping (Element, Element) -> Bool) {
        self.added = added
        self.precedes = precedes
    }

    /// Takes the next element that is given.
    /// - Parameter body: Is handed what was added and stands before it, and then the element.
    package mutating func take(_ element: Element, _ body: (Element) -> Void) {
        while next < added.count, precedes(added[next], element) {
            body(added[next])
            next += 1
        }
        body(element)
    }

    /// Hands on what was added and stands behind all that was given.
    package mutating func finish(_ body: (Element) -> Void) {
        for element in added[next...] { body(element) }
        next = added.count
    }
}
