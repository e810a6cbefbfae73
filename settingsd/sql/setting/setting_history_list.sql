-- Returns a page of a project's settings history, newest first.
-- class: read
-- in: project uuid, most int8, skip int8
-- rows: many
-- row: profile uuid null, display text null, change struct setting_change
select
    profile_id as profile,
    profile_display as display,
    changed_at as "when",
    name,
    old_value::text as old,
    new_value::text as new
from setting_history
where project_id = :project
order by version desc, name
limit :most offset :skip
