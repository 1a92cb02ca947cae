import DaybookEvents
import Testing

extension Workbench {
    /// What a restore needs to believe this bench's authority.
    static let sandbox = "--bundle-id com.dozzi.app --root sandbox.pem --env test"

    /// Signs Dozzi's purchase with an authority of this bench, which is made if need be.
    /// - Parameter options: Further options of `sandbox sign`.
    func sign(_ options: String, to name: String) throws {
        if !exists("sandbox.key") {
            let made = try run("sandbox create sandbox.key --root sandbox.pem")
            try #require(made.status == 0, "\(made.errors)")
        }
        let signed = try run(
            "sandbox sign --authority sandbox.key --product com.dozzi.unlimited_stories --kind non-consumable --bundle-id com.dozzi.app \(options)"
        )
        try #require(signed.status == 0, "\(signed.errors)")
        try write(signed.output, to: name)
    }
}
