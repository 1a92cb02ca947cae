package import DaybookEvents

/// The shapes of what was found when a ledger was verified, or looked at by the doctor.
extension [VerifyFinding] {
    package var json: JSONObject {
        [
            "clean": .bool(allSatisfy(\.isClean)),
            "checks": .array(
                map {
                    [
                        "check": .string($0.check), "clean": .bool($0.isClean),
                        "detail": .string($0.detail),
                    ]
                }),
        ]
    }
}

extension [DoctorFinding] {
    package var json: JSONObject {
        [
            "healthy": .bool(allSatisfy { $0.severity != .problem }),
            "findings": .array(
                map {
                    [
                        "area": .string($0.area), "severity": .string($0.severity.rawValue),
                        "message": .string($0.message), "remedy": .orNull($0.remedy),
                        "code": .orNull($0.code),
                    ]
                }),
        ]
    }
}
