-- Audits clients' own tokens whose `change` is 0 or the number of the last change of a policy or
-- project, and returns that number; see authd/oauth/client_token.h.
-- class: write
-- in: projects uuid[], times int8[], events text[], changes int8[]
-- rows: one
-- row: change int8
with
last as materialized (
    select
        -- include: settings_change
        as change
),
audit_written as (
    insert into audit (project_id, at, event)
    select w.project, w.at, w.event::json
    from unnest(:projects, :times, :events, :changes) as w (project, at, event, change)
    join last on w.change in (0, last.change)
)
select change from last
