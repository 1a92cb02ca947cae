public import ArgumentParser
public import DaybookServer

extension Scope: ExpressibleByArgument {}
extension TokenKey.Algorithm: ExpressibleByArgument {}
