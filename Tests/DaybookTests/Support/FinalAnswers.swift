import Daybook
import DaybookDomain
import DaybookEvents

/// What the customers may do at the end and how far they came, whatever was known when: what no order of delivery may
/// change.
struct FinalAnswers: Equatable {
    private var statuses: [Status] = []
    private var funnels: [FunnelReport] = []

    /// - Parameter at: After everything that happened.
    init(_ ledger: Ledger, at: Int64 = 1_798_675_200_000) throws {
        let moment = Moment(at: at)
        for environment in Environment.allCases {
            for subject in try ledger.subjects(in: environment) {
                let (status, _) = try ledger.status(
                    of: subject, environment: environment, moment: moment)
                statuses.append(status)
            }
            for funnel in try ledger.catalogs().newest?.catalog.funnels ?? [] {
                funnels.append(
                    try ledger.funnel(
                        FunnelRequest(funnel.name, by: .variant, environment: environment)))
            }
        }
    }
}
