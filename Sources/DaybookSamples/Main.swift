import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Dispatch
import Foundation

/// Pieces of work whose instructions are counted (`InstructionCount`), so that a change that makes one dearer
/// fails the tests.
///
/// ```
/// DaybookSamples make FILE               a ledger of 32,768 events of 400 customers, all in segments
/// DaybookSamples check FILE COUNT        questions about customers at hand
/// DaybookSamples check-first FILE COUNT  the first question about each of up to 400 customers, who have eighty events
/// DaybookSamples check-again FILE COUNT  the question about up to COUNT customers after each of four commits with
///                                        events of theirs, in a new ledger beside the file
/// DaybookSamples history FILE COUNT      the events of a customer who has eighty, as people read them
/// DaybookSamples consume FILE COUNT      uses of one client, in a new ledger beside the file
/// DaybookSamples consume-together FILE COUNT
///                                        groups of 64 uses that share a commit, in a new ledger beside the file
/// DaybookSamples consume-following FILE COUNT
///                                        the same, each group decided while the one before is written
/// DaybookSamples record FILE COUNT       batches of 500 typed reports, in a new ledger beside the file
/// DaybookSamples replay-rows FILE COUNT  replays of all events by one worker, compared with nothing
/// DaybookSamples replay-segments FILE COUNT
///                                        the same from segments
/// DaybookSamples fold - EVENTS CUSTOMERS COUNT
/// DaybookSamples fold-month - PEOPLE COUNT
///                                        all projections over events in memory
/// ```
/// Each says `pieces` and how many: questions, uses, events.
@main
struct Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { fail("say a sample and a file") }
        let samples = LedgerSamples(
            path: arguments[1], numbers: arguments.dropFirst(2).compactMap { Int($0) })
        let done = DispatchSemaphore(value: 0)
        // The main thread waits here: valgrind does not survive that it ends before the others.
        Task.detached {
            do {
                print("pieces \(try await samples.run(arguments[0]))")
            } catch {
                fail("\(error)")
            }
            done.signal()
        }
        done.wait()
        exit(0)
    }

    private static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("DaybookSamples: \(reason)\n".utf8))
        exit(1)
    }
}
