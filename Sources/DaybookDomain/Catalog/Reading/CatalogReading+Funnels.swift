import DaybookEvents

extension CatalogReading {
    func funnels(_ fields: CatalogFields) -> [Funnel] {
        named("funnels", of: fields) { name, fields -> Funnel? in
            fields.require("window", "Say how long a customer has for all steps: `window: P7D`.")
            fields.require("steps", "List at least two steps.")
            let window = fields.exactDuration("window")
            let order: Funnel.Order? = fields.choice("order")
            let steps = self.steps("steps", of: fields)
            let exclusions = self.steps("exclusions", of: fields)
            let experiment = fields.text("experiment")
            if let experiment {
                funnelExperiments.append((experiment, fields.place(of: "experiment")))
            }
            if fields.has("steps"), steps.count < 2 {
                fields.report(
                    "The funnel has \(steps.count) usable steps.", "List at least two.",
                    at: "steps")
            }
            guard let window else { return nil }
            var funnel = Funnel(name: name, windowMilliseconds: window, steps: steps)
            funnel.order = order ?? .ordered
            funnel.exclusions = exclusions
            funnel.experiment = experiment
            return funnel
        }
    }

    private func steps(_ key: String, of fields: CatalogFields) -> [FunnelStep] {
        fields.list(key).compactMap { node in
            let inner = CatalogFields(node, self)
            inner.require("event", "Name the event type: `event: paywall.shown`.")
            let event = inner.text("event")
            let name = inner.text("name")
            let context = inner.text("context")
            let isTrial = inner.flag("trial")
            let type = event.map(EventTypeName.init(rawValue:))
            if type != .subscriptionStarted, type != .subscriptionRenewed {
                inner.refuse(["trial"], because: "only a subscription starts or renews as a trial")
            }
            inner.finish()
            guard let event else { return nil }
            checkEventType(event, among: knownEventTypes, at: inner.place(of: "event"))
            funnelEvents.append((event, inner.place(of: "event")))
            var step = FunnelStep(
                name: name ?? event, event: EventTypeName(rawValue: event), context: context)
            step.isTrial = isTrial
            return step
        }
    }

    /// The event types by which metrics see that a customer uses the app.
    func activity(_ fields: CatalogFields) -> [EventType] {
        var types: [EventType] = []
        for (name, place) in fields.texts("activity") {
            checkEventType(name, among: Vocabulary.names, at: place)
            let schema = Vocabulary.schemas.last { haveSameBytes($0.name, name) }
            guard let schema else { continue }
            if schema.routing != .customer {
                report(
                    "`\(name)` is not told of a customer by the app.",
                    "Name events of customers, such as app.launched.", at: place)
            } else if types.contains(schema.type) {
                report("`\(name)` stands twice in this list.", "Remove one.", at: place)
            } else {
                types.append(schema.type)
            }
        }
        return types
    }

    /// - Parameter types: Those that are known; empty: nothing is checked.
    func checkEventType(_ event: String, among types: Set<String>, at place: CatalogPlace) {
        guard !types.isEmpty, !types.contains(event) else { return }
        report(
            "There is no event type `\(event)`.", nearest: event, among: types,
            otherwise: "docs/events.md lists the event types.", at: place)
    }

    /// KPIs by name: a metric and one of `atLeast: 0.85`, `atMost: 0.05`, `between: [0.03, 0.05]`.
    func kpis(_ fields: CatalogFields) -> [KPITarget] {
        named("kpis", of: fields) { name, fields -> KPITarget? in
            fields.require("metric", "Name the metric: `metric: purchase_completion`.")
            let metric = fields.text("metric")
            let given = KPITarget.Comparison.allCases.filter { fields.has($0.rawValue) }
            let targets = KPITarget.Comparison.allCases.map { bounds($0, of: fields) }
            guard given.count == 1, let comparison = given.first else {
                report(
                    "The target is missing or given more than once.",
                    "Write one of `atLeast: 0.85`, `atMost: 0.05`, `between: [0.03, 0.05]`.",
                    at: fields.place)
                return nil
            }
            guard let metric, let bounds = targets.compactMap({ $0 }).first else { return nil }
            checkMetric(metric, at: fields.place(of: "metric"))
            var target = KPITarget(
                name: name, metric: metric, comparison: comparison, targetMilli: bounds[0])
            target.upperMilli = bounds.count == 2 ? bounds[1] : nil
            return target
        }
    }

    /// A metric of ours, or `kpi.` with the name under which `kpi.recorded` tells a number that was measured elsewhere.
    private func checkMetric(_ metric: String, at place: CatalogPlace) {
        guard !knownMetrics.isEmpty, !knownMetrics.contains(metric), !metric.hasPrefix("kpi.")
        else { return }
        report(
            "There is no metric `\(metric)`.", nearest: metric, among: knownMetrics,
            otherwise:
                "`daybook metrics` lists them; a number that is measured elsewhere is `kpi.<name>`.",
            at: place)
    }

    /// One bound, or two of them with `between`; `nil` when absent or wrong.
    private func bounds(
        _ comparison: KPITarget.Comparison, of fields: CatalogFields
    ) -> [Int64]? {
        let key = comparison.rawValue
        guard fields.has(key) else {
            _ = fields.node(key)
            return nil
        }
        let texts =
            comparison == .between
            ? fields.texts(key).map(\.text) : [fields.text(key)].compactMap { $0 }
        let values = texts.compactMap { CatalogDecimal.scaled($0, fractionDigits: 3) }
        let isOrdered = values.count != 2 || values[0] < values[1]
        guard values.count == (comparison == .between ? 2 : 1), isOrdered else {
            report(
                "This is no target.",
                comparison == .between
                    ? "Write two rising numbers: `between: [0.03, 0.05]`."
                    : "Write a number with at most three decimals: `\(key): 0.85`.",
                at: fields.place(of: key))
            return nil
        }
        return values
    }

    func policies(_ fields: CatalogFields) -> Policies {
        var policies = Policies()
        guard let node = fields.node("policies") else { return policies }
        let inner = CatalogFields(node, self)
        policies.transfer = inner.choice("transfer") ?? policies.transfer
        policies.billingRetryAccess = inner.flag("billingRetryAccess") ?? false
        policies.clock = inner.choice("clock") ?? policies.clock
        policies.clientAssertedHours = inner.whole("clientAssertedHours", 0...8_760) ?? 0
        policies.gap = inner.choice("gap") ?? policies.gap
        policies.proratedRefundKeepsAccess = inner.flag("proratedRefundKeepsAccess") ?? false
        policies.refusesUnknownSubjects = inner.flag("refusesUnknownSubjects") ?? false
        policies.familyServesOneProfile = inner.flag("familyServesOneProfile") ?? false
        policies.reassignmentsMax = inner.whole("reassignmentsMax", 0...1_000)
        policies.suspendsWithoutConsent = inner.flag("suspendsWithoutConsent") ?? false
        policies.managementURL = inner.text("managementURL")
        inner.finish()
        return policies
    }
}
