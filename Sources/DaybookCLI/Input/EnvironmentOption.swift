import ArgumentParser
import DaybookEvents

/// Which environment's customers are meant; nothing mixes (rule 9).
struct EnvironmentOption: ParsableArguments {
    @Option(name: .customLong("env"), help: "The environment. Default: production.")
    private var chosen: Environment?

    var environment: Environment { chosen ?? .production }
    /// `nil` where none was named.
    var named: Environment? { chosen }
}
