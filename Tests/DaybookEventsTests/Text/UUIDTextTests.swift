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

    @Test(
        "Only small hexadecimal digits and hyphens in their places are read, at every place for every byte"
    )
    func read() {
        let text = Array("01234567-89ab-cdef-fedc-ba9876543210".utf8)
        let hyphens = [8, 13, 18, 23]
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var other = text
                other[place] = byte
                let isDigit =
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
                let isRead = hyphens.contains(place) ? byte == UInt8(ascii: "-") : isDigit
                let halves = other.withUnsafeBufferPointer { UUIDText.parse($0) }
                #expect((halves != nil) == isRead, "byte \(byte) at \(place)")
                if let halves { #expect(Array(UUIDText.format(halves).utf8) == other) }
            }
        }
    }

    private func half(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
