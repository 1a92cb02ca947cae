import DaybookEvents
import DaybookFixtures
import Foundation

/// Third-party data, beside the checkout; suites that need it are skipped, visibly, where it is not.
enum SharedVectors {
    static let folder = Fixtures.root.deletingLastPathComponent().appending(path: "shared/vectors")
    static var areThere: Bool { FileManager.default.fileExists(atPath: folder.path) }
    static let absence = "needs the third-party vectors in ../shared/vectors"

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Foundation.Data(contentsOf: folder.appending(path: path)))
    }

    static func json(_ path: String) throws -> JSONValue { try JSONReader.read(try bytes(path)) }

    static func object(_ path: String) throws -> JSONObject {
        guard let object = try json(path).object else { throw NotAnObject(path: path) }
        return object
    }

    /// Names in a folder, in ascending order; none where there is no folder.
    static func names(in path: String) -> [String] {
        // An absent folder is what `areThere` is for.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path))
            ?? [])
            .sorted()
    }

    struct NotAnObject: Error { let path: String }
}
