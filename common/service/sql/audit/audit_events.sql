-- Returns successful events of some actions, in some projects or (null) all, from sealed rows after
-- `after` up to `last`.
-- class: read
-- in: after int8, last int8, actions text[], projects uuid[] null, most int8
-- rows: many
-- row: struct audit_event
select
    sequence,
    at,
    project_id as project,
    entity,
    event ->> 'action' as action,
    event ->> 'account' as account,
    event ->> 'role' as role,
    event #>> '{agent,account}' as actor
from audit
where sequence > :after and sequence <= :last and sequence is not null and project_id is not null
    and (:projects::uuid[] is null or project_id = any (:projects))
    and event ->> 'action' = any (:actions) and event ->> 'outcome' = 'success'
order by sequence, id
limit :most
