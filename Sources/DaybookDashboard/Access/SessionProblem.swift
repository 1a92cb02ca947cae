import DaybookServer

/// Why a browser is not let in.
enum SessionProblem {
    static let signInNeeded = Problem(
        .unauthorized, "sign_in_needed", "sign in first: there is no session, or it is over")
}
