import ArgumentParser
import DaybookEvents

/// Which environment's customers are meant; nothing mixes (rule 9).
struct EnvironmentOption: ParsableArguments {
    @Option(name: .customLong("env"), help: "The environment.")
    private var name = EnvironmentName.production

    var environment: Environment { name.environment }
}

/// The environments by the names that people type.
enum EnvironmentName: String, CaseIterable, ExpressibleByArgument {
    case production, sandbox, xcode, test

    var environment: Environment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .xcode: .xcode
        case .test: .test
        }
    }
}
