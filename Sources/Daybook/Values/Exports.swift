// One import is enough: what the ledger takes and gives (events, commands, answers, catalogs, stores) is told in the
// words of these modules.
@_exported public import DaybookDomain
@_exported public import DaybookEvents
@_exported public import DaybookIngest
@_exported public import DaybookStore
