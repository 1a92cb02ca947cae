import DaybookEvents
import Foundation
import Testing

@Suite("Texts of UUIDs")
struct UUIDTextTests {
    @Test("What is written is what Foundation writes, digit by digit")
    func written() {
        var bytes = [UInt8](0..<16)
        // Every digit at every place.
        for _ in 0..<256 {
            for index in bytes.indices { bytes[index] &+= 0x1B }
            let halves = (half(bytes[0..<8]), half(bytes[8..<16]))
            let expected = bytes.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) }
            #expect(UUIDText.format(halves) == expected.uuidString.lowercased())
        }
    }

    private func half(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
