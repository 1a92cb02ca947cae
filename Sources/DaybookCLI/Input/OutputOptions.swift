import ArgumentParser

/// How the answer is written.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Write one line of JSON (snake_case, canonical) instead of text.")
    var json = false
}
