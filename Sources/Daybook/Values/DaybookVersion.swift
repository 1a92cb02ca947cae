/// The version of Daybook: in what is captured, and in reports that are frozen.
public enum DaybookVersion {
    /// The version of this build.
    public static let current = "0.1.0"
}
