import Daybook

/// Places as they are written on the command line.
enum PlaceText {
    /// - Parameter other: What may be written instead, for the error.
    /// - Throws: Bad input for what is no place.
    static func read(_ text: String, _ option: String, or other: String = "") throws -> Place {
        guard let place = Place(text) else {
            throw Failure(
                .badInput, "bad_place",
                "\(option): \(text) is no place; write one as an event, a page or a receipt has it\(other)"
            )
        }
        return place
    }
}
