/// The folders of one target, and which of them use types of which others.
///
/// Known are types by their names: those that a file declares at its outermost level, and those that an extension
/// gives another type, where the target has one type of that name alone. Other members of extensions, and free
/// functions, are not looked at.
struct FolderUses {
    /// A file uses a type of another folder.
    struct Arrow: Hashable {
        /// Below the target's folder, as `Catalog/Meter.swift`.
        var file: String
        var type: String
        var from: String
        var to: String
    }

    /// Where a name leads.
    private struct Home {
        var folders: Set<String>
        /// Whether an extension declares it, so that it may stand behind a dot.
        var isMember: Bool
    }

    /// From the lowest to the highest.
    let order: [String]
    /// In the order of files, then of types.
    let arrows: [Arrow]
    private let folders: Set<String>

    /// - Parameters:
    ///   - files: Texts by the path below the target's folder.
    ///   - order: Folders from the lowest to the highest; "." is the target's own.
    init(_ files: [String: String], order: [String]) {
        self.order = order
        folders = Set(files.keys.map(Self.folder))
        let sources = files.mapValues { SwiftSource($0) }
        let homes = Self.homes(sources)
        arrows = sources.sorted { $0.key < $1.key }.flatMap { path, source in
            Self.arrows(of: path, source, homes, order)
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func homes(_ sources: [String: SwiftSource]) -> [String: Home] {
        var declared: [String: [(folder: String, declaration: SwiftSource.Declaration)]] = [:]
        for (path, source) in sources {
            for declaration in source.declarations {
                declared[declaration.name, default: []].append((folder(of: path), declaration))
            }
        }
        return declared.compactMapValues { places -> Home? in
            // What a type declares in its own braces is named through that type, which has a home of its own.
            if places.count == 1, places[0].declaration.place == .inExtension,
                !places[0].declaration.isPrivate
            {
                return Home(folders: [places[0].folder], isMember: true)
            }
            let known = places.filter { !$0.declaration.isPrivate }
            guard known.contains(where: { $0.declaration.place == .outermost }) else { return nil }
            return Home(folders: Set(known.map(\.folder)), isMember: false)
        }
    }

    /// A name that several folders declare, one at the outermost level and others inside of types, may mean any of
    /// them, because members of a type name what is inside of it without a dot. So it is an arrow to the lowest of
    /// them, and none where the file's own folder is among them: a use may be missed, but nothing is accused that no
    /// file did. For the same reason a name that the file declares itself, in whatever scope, is its own.
    private static func arrows(
        of path: String, _ source: SwiftSource, _ homes: [String: Home], _ order: [String]
    ) -> [Arrow] {
        let own = Set(source.declarations.map(\.name))
        let from = folder(of: path)
        return source.names.union(source.members).subtracting(own).sorted().compactMap { name in
            guard let home = homes[name], home.isMember || source.names.contains(name),
                !home.folders.contains(from),
                let to = home.folders.min(by: { rank($0, order) < rank($1, order) })
            else { return nil }
            return Arrow(file: path, type: name, from: from, to: to)
        }
    }

    private static func rank(_ folder: String, _ order: [String]) -> Int {
        order.firstIndex(of: folder) ?? order.count
    }

    /// Folders that the order does not have, and those of the order that are not there.
    var misfits: [String] {
        folders.subtracting(order).sorted().map {
            "the folder \($0) has no place in the order; give it one in FolderOrderTests.orders"
        }
            + order.filter { !folders.contains($0) }.map {
                "the order has the folder \($0), which has no files; take it out"
            }
    }

    /// One sentence for each file and each folder above it that it uses types of.
    var climbs: [String] {
        let upward = arrows.filter {
            Self.rank($0.to, order) > Self.rank($0.from, order)
        }
        var found: [(place: String, types: [String])] = []
        for arrow in upward {
            let place = "\(arrow.file) is in \(arrow.from), which stands below \(arrow.to)"
            if let index = found.firstIndex(where: { $0.place == place }) {
                found[index].types.append(arrow.type)
            } else {
                found.append((place, [arrow.type]))
            }
        }
        return found.map { "\($0.place), and uses of it \($0.types.joined(separator: ", "))" }
    }

    /// Sets of folders each of which leads to each other one, whatever the order says, with one use for each arrow.
    var circles: [String] {
        var reached: [String: Set<String>] = [:]
        for arrow in arrows { reached[arrow.from, default: []].insert(arrow.to) }
        var isLarger = true
        while isLarger {
            isLarger = false
            for (folder, known) in reached {
                let further = known.reduce(known) { $0.union(reached[$1] ?? []) }
                if further.count > known.count {
                    reached[folder] = further
                    isLarger = true
                }
            }
        }
        var circles: Set<[String]> = []
        for (folder, known) in reached where known.contains(folder) {
            circles.insert(known.filter { reached[$0]?.contains(folder) ?? false }.sorted())
        }
        return circles.sorted { $0[0] < $1[0] }.map { circle in
            var uses: [String] = []
            for from in circle {
                for to in circle {
                    guard let arrow = arrows.first(where: { $0.from == from && $0.to == to })
                    else { continue }
                    uses.append("\(arrow.file) uses \(arrow.type) of \(to)")
                }
            }
            return "\(circle.joined(separator: ", ")) form a circle: "
                + uses.joined(separator: "; ")
        }
    }
}
