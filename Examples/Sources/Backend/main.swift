import Daybook
import Foundation
import Hummingbird

// The backend of an app that gives two stories away and sells the rest. An app of its own would ask who is calling;
// here the path says so.
//
//   swift run Backend FOLDER [ROOT.pem]    FOLDER has catalog.yaml; with ROOT.pem what a sandbox signed is believed
let folder = CommandLine.arguments.dropFirst().first ?? "."
let root = CommandLine.arguments.dropFirst(2).first
let path = folder + "/app.sqlite"
let environment: Daybook.Environment = root == nil ? .production : .test

func bytes(_ path: String) -> [UInt8] {
    if let data = FileManager.default.contents(atPath: path) { return [UInt8](data) }
    print("Backend: there is no file \(path)")
    exit(3)
}

let ledger =
    FileManager.default.fileExists(atPath: path)
    ? try Ledger.open(path)
    : try await Ledger.create(at: path, catalog: bytes(folder + "/catalog.yaml"))
let verifier = AppStoreVerifier(
    identity: AppStoreIdentity(bundleIDs: ["com.dozzi.app"], environment: environment),
    roots: try root.map { try AppStoreRoots(file: bytes($0)) } ?? .apple())

func shown(_ decision: Decision) -> String {
    "\(decision.allowed ? "yes" : "no"), \(decision.reason.rawValue)\n"
}

let router = Router()

// What the App Store posts: verified, kept with its bytes, recorded once however often it comes.
router.post("apple") { request, _ in
    let body = try await request.body.collect(upTo: 1 << 20)
    let receipt = try await ledger.ingest(Array(body.readableBytesView), by: verifier)
    return "appended \(receipt.appended), refused \(receipt.refused.count)\n"
}

// Whether a customer may use something.
router.get("customers/:name/may/:feature") { _, context in
    let question = CheckQuestion(try context.parameters.require("feature"))
    let name = try context.parameters.require("name")
    return shown(try ledger.check(question, for: name, environment: environment).decision)
}

// A story is told: checked and recorded in one step. The same ref again uses nothing.
router.put("customers/:name/stories/:ref") { _, context in
    let ref = try context.parameters.require("ref")
    let command = Command.consume(meter: "stories", amount: 1, ref: ref)
    let name = try context.parameters.require("name")
    do {
        let receipt = try await ledger.perform(
            CommandRequest(command, subject: name, environment: environment))
        return receipt.decision.map(shown) ?? "done\n"
    } catch LedgerError.rejected(_, decision: let decision?) {
        throw HTTPError(.conflict, message: shown(decision))
    }
}

try await Application(router: router).runService()
try ledger.close()
