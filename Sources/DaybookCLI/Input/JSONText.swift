import Daybook
import DaybookEvents

/// Reads JSON that people type.
enum JSONText {
    static func object(_ text: String, option: String) throws -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(Array(text.utf8))
        } catch {
            var failure = Failure(.badInput, "bad_json", "\(option): \(error.description)")
            failure.problems = [
                InputProblem(
                    line: error.line, column: error.column, code: "bad_json", reason: error.reason)
            ]
            throw failure
        }
        guard let object = value.object else {
            throw Failure(
                .badInput, "wrong_type", "\(option) takes a JSON object, not \(value.kindName)")
        }
        return object
    }
}
