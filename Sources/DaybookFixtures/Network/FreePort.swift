import Foundation

/// Something that the system did not let a test have.
package struct NoPort: Error {}

package enum FreePort {
    /// A port of the loopback address that was free a moment ago.
    package static func find() throws -> Int {
        let descriptor = try bound()
        defer { close(descriptor.number) }
        return descriptor.port
    }

    /// Lets a body run while a port is taken.
    package static func taken(_ body: (Int) throws -> Void) throws {
        let descriptor = try bound()
        defer { close(descriptor.number) }
        guard listen(descriptor.number, 1) == 0 else { throw NoPort() }
        try body(descriptor.port)
    }

    private static func bound() throws -> (number: Int32, port: Int) {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let number = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length) == 0 && getsockname(number, pointer, &length) == 0
            }
        }
        guard isBound else {
            close(number)
            throw NoPort()
        }
        return (number, Int(UInt16(bigEndian: address.sin_port)))
    }
}
