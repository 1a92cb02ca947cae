import Foundation
import Synchronization

/// Watches the memory of this program that is no mapped file, which the kernel keeps no high-water
/// mark of.
final class MemoryWatch: Sendable {
    private let peak = Mutex(0.0)
    private let isOver = Mutex(false)

    init() {
        Thread.detachNewThread { [self] in
            while !isOver.withLock({ $0 }) {
                look()
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    private func look() {
        // Pages: total, resident, and those of them that are mapped files or shared. Other systems
        // have no such file; the value is then left out.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            return
        }
        let pages = text.split(separator: " ").compactMap { Double($0) }
        guard pages.count >= 3 else { return }
        let bytes = (pages[1] - pages[2]) * Double(sysconf(Int32(_SC_PAGESIZE)))
        peak.withLock { $0 = max($0, bytes) }
    }

    func note(in measurement: inout Measurement) {
        look()
        isOver.withLock { $0 = true }
        let bytes = peak.withLock { $0 }
        measurement["peak_own_bytes"] = bytes > 0 ? bytes : .nan
    }
}
