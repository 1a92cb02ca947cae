import DaybookEvents

extension CatalogReading {
    /// `eventNames`: the app's own name, and the event type or the milestone that it stands for.
    func eventNames(_ fields: CatalogFields) -> [EventName] {
        var milestones: [SubscriptionMilestone.Kind: String] = [:]
        return named("eventNames", of: fields) { name, fields -> EventName? in
            checkEventName(name, fields)
            let event = fields.text("event")
            let milestone: SubscriptionMilestone.Kind? = fields.choice("milestone")
            var eventName = EventName(
                name: name, event: event.map(EventTypeName.init(rawValue:)), milestone: milestone)
            let schema = event.flatMap { target($0, fields) }
            eventName.data = eventData("data", fields, schema)
            eventName.defaults = eventData("defaults", fields, schema)
            eventName.members = eventMembers(fields, schema)
            if event == nil {
                fields.refuse(
                    ["data", "defaults", "members"], because: "only `event` has members")
                if !fields.has("milestone") {
                    fields.require(
                        "event", "Name the event type, or a milestone: `event: paywall.shown`.")
                }
            }
            if let milestone, let other = milestones.updateValue(name, forKey: milestone) {
                fields.report(
                    "The milestone `\(milestone.rawValue)` is called `\(other)` already.",
                    "Keep one name.", at: "milestone")
            }
            return eventName
        }
    }

    private func checkEventName(_ name: String, _ fields: CatalogFields) {
        if name.isEmpty || name.utf8.count > EventBounds.nameByteCountMax {
            report(
                "The event name has \(name.utf8.count) bytes.",
                "Names have 1 to \(EventBounds.nameByteCountMax) bytes.", at: fields.place)
        }
        if name.utf8.contains(UInt8(ascii: ".")) {
            report(
                "The event name `\(name)` has a dot, as the ledger's own event types have.",
                "Write a name without one, or record the event under the ledger's type.",
                at: fields.place)
        }
    }

    /// The newest schema of the type that a name stands for; `nil` where there is none, or no app may have a name for
    /// it.
    private func target(_ event: String, _ fields: CatalogFields) -> EventSchema? {
        let place = fields.place(of: "event")
        checkEventType(event, among: knownEventTypes.isEmpty ? [] : Vocabulary.names, at: place)
        guard let schema = Vocabulary.schemas.last(where: { haveSameBytes($0.name, event) }) else {
            return nil
        }
        guard schema.type.mayHaveAppName else {
            report(
                "An app's own name cannot stand for `\(event)`.",
                "It may stand for usage, profiles, consent, gates and analytics; what a store "
                    + "established comes from the store.", at: place)
            return nil
        }
        return schema
    }

    /// Members with fixed values: text, whole numbers, `true` and `false`.
    private func eventData(
        _ key: String, _ fields: CatalogFields, _ schema: EventSchema?
    ) -> JSONObject {
        var data = JSONObject()
        for entry in fields.map(key) {
            let place = entry.value.place
            guard let value = entry.value.eventValue else {
                report(
                    "`\(entry.key)` is no value of an event.",
                    "Write text, a whole number, true or false.", at: place)
                continue
            }
            guard let field = field(entry.key, schema, place) else { continue }
            do throws(EventProblem) {
                try EventValidator.check(value, field)
            } catch {
                report(
                    "`\(entry.key)` \(error.reason).",
                    "docs/events.md says what \(schema?.name ?? "the event") holds.", at: place)
            }
            if schema?.type == .usageRecorded, field.name == "amount", value == 0 {
                report("0 units are no usage.", "Write another amount.", at: place)
            }
            if field.name == "meter", let name = value.text,
                !name.hasPrefix(CatalogStructure.previewPrefix)
            {
                use(name, as: .meter, at: place)
            }
            data[entry.key] = value
        }
        return data
    }

    /// `members: { storyId: ref }`: what the app calls otherwise.
    private func eventMembers(
        _ fields: CatalogFields, _ schema: EventSchema?
    ) -> [EventName.Member] {
        var taken: Set<String> = []
        return fields.map("members").compactMap { entry in
            let place = entry.value.place
            guard let ours = entry.value.text(self), field(ours, schema, place) != nil else {
                return nil
            }
            if !taken.insert(ours).inserted {
                report("`\(ours)` has two names.", "Keep one.", at: place)
            }
            return EventName.Member(theirs: entry.key, ours: ours)
        }.sorted { precedesInBytes($0.theirs, $1.theirs) }
    }

    /// The field of a name; `nil` where the event has none, which is reported, or the event is not known.
    private func field(
        _ name: String, _ schema: EventSchema?, _ place: CatalogPlace
    ) -> EventField? {
        guard let schema else { return nil }
        if let field = schema.fields.first(where: { $0.path.count == 1 && $0.name == name }) {
            return field
        }
        let names = schema.fields.filter { $0.path.count == 1 }.map(\.name)
        reportMember(name, of: schema, names, at: place)
        return nil
    }
}

extension CatalogNode {
    /// The value as events write it; `nil` for a list, a map or nothing.
    fileprivate var eventValue: JSONValue? {
        guard case .scalar(let text, let isQuoted) = content else { return nil }
        guard !isQuoted else { return .string(text) }
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard let count = CatalogDecimal.digits(digits) else { return .string(text) }
            return .integer(digits.count < text.count ? -count : count)
        }
    }
}
