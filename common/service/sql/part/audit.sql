-- The row of the audit trail (common/service/audit.h), once for each row of {from}. {entity} is the
-- subject, and {event} the event, where the statement knows more of it than the caller.
-- args: from, project = :project, entity = :entity, event = :event::json
-- in: project uuid null, at int8, entity text null, event text
{as}_written as (
    insert into audit (project_id, at, entity, event)
    select {project}, :at, {entity}, {event} from {from}
)
