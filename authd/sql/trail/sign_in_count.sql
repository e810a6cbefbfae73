-- Adds the sign-ins of the sealed rows behind `after` up to `last` to the hours of their projects. The
-- session that an application gets of a person who is signed in on the pages ("oauth", "device") is
-- none. What does not have the action's name in its text is not parsed: most rows of an import; what
-- has it is parsed once, as `->>` would do for each member.
-- class: tx
-- in: after int8, last int8
-- rows: none
insert into trail_sign_in as h (project_id, hour, succeeded, failed)
select
    project_id,
    at - at % 3600000,
    count(*) filter (where e.outcome = 'success'),
    count(*) filter (where e.outcome <> 'success')
from audit
cross join lateral json_to_record(event) as e (action text, outcome text, detail text)
where sequence > :after and sequence <= :last and sequence is not null and project_id is not null
    and strpos(event::text, '"session.create"') > 0
    and e.action = 'session.create' and coalesce(e.detail, '') not in ('oauth', 'device')
group by 1, 2
order by 1, 2
on conflict (project_id, hour) do update
set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed
