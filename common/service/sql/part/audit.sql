-- An audit row (common/service/audit.h) per row of {from}. {entity} and {event} override the
-- caller's.
-- args: from, project = :project, entity = :entity, event = :event::json
-- in: project uuid null, at int8, entity text null, event text
{as}_written as (
    insert into audit (project_id, at, entity, event)
    select {project}, :at, {entity}, {event} from {from}
)
