import Daybook

extension Ledger {
    /// Every row that some customers' answers rest on, at this cut or at an earlier one, in position order.
    ///
    /// The events of the customers and of every id that was ever linked with one of theirs; the lineages that name them
    /// or one who ever gave them everything; the links and the transfers of everything among the other customers whom
    /// these lineages and transfers name; the corrections of all these; the catalogs.
    func concernedRows(
        _ subjects: [String], _ environment: Environment, _ state: LedgerState, cut: Int64
    ) throws -> [EventRow] {
        let listed = CustomerHistory(core: core)
        var rows: [EventRow] = []
        func list(_ more: [EventRow]) { rows += more }
        func linked(_ name: NameID) throws -> [NameID] {
            let links = state.identity.linkPositions(
                of: CustomerKey(environment, name), cut: cut)
            if !links.isEmpty { list(try core.store.rows(at: links.map(\.position))) }
            return links.map(\.other)
        }

        var people = subjects.flatMap { state.customers(named: $0, in: environment) }
        var met = Set(people)
        /// Goes through names to which all are added that are met for the first time on the way.
        func follow(_ names: inout [NameID], _ found: (NameID) throws -> [NameID]) rethrows {
            var next = 0
            while next < names.count {
                names += try found(names[next]).filter { $0 != 0 && met.insert($0).inserted }
                next += 1
            }
        }

        try follow(&people) { name in
            if let stream = state.streamID(environment, .customer, name) {
                list(try listed.known(stream, state, cut))
            }
            return try linked(name)
        }

        // All who gave one of them everything, also where that was taken back.
        var others = people
        try follow(&others) { name in
            let handovers = state.identity.handoverPositions(
                of: CustomerKey(environment, name), cut: cut)
            let givers = try core.store.rows(at: handovers).map(\.event)
                .filter { $0.nameB == name }.map(\.nameA)
            return givers + (try linked(name))
        }
        let owners = Set(others)
        var seen: Set<UInt32> = []
        for name in owners.sorted() {
            for lineage in state.lineages(naming: CustomerKey(environment, name))
            where seen.insert(lineage).inserted {
                let events = try listed.known(lineage, state, cut)
                // The index of namings knows the future; what is in the cut does not (law 4).
                guard
                    events.contains(where: {
                        $0.event.namedCustomers.contains(where: owners.contains)
                    })
                else { continue }
                list(events)
                others += events.flatMap(\.event.namedCustomers).filter { met.insert($0).inserted }
            }
        }
        try follow(&others) { name in
            let links = try linked(name)
            let handovers = state.identity.handoverPositions(
                of: CustomerKey(environment, name), cut: cut)
            guard !handovers.isEmpty else { return links }
            let events = try core.store.rows(at: handovers)
            list(events)
            return links + events.flatMap { [$0.event.nameA, $0.event.nameB] }
        }

        try listed.addCorrections(of: &rows, environment, state, cut)
        if let name = state.names.id(of: "catalogs"),
            let stream = state.streamID(.production, .ledger, name)
        {
            list(try listed.known(stream, state, cut))
        }
        CustomerHistory.putInOrder(&rows)
        return rows
    }
}
