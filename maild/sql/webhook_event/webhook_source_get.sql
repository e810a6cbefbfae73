-- Returns how far a daemon's audit log was read, see webhook_event_insert. If it is unread, returns
-- since when there are enabled webhooks (null: none).
-- class: read
-- in: source text
-- rows: one
-- row: sequence int8 null, since int8 null
select
    sequence,
    case
        when sequence is null then (
            select min(created_at)
            from webhook
            where enabled and project_id > '00000000-0000-0000-0000-000000000000'
        )
    end as since
from webhook_source
where source = :source
