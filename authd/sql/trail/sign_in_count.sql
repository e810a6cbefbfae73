-- Adds the sign-ins of the sealed rows after `after` up to `last` to their projects' hours.
-- Sessions that applications get for people who are already signed in ("oauth", "device") don't
-- count. Searches the text as audit_row() writes it, because parsing a row costs 6 us: it has no
-- spaces, and quotes in values are escaped, so no value looks like a member.
-- class: tx
-- in: after int8, last int8
-- rows: none
insert into trail_sign_in as h (project_id, hour, succeeded, failed)
select
    project_id,
    at - at % 3600000,
    count(*) filter (where strpos(words, '"outcome":"success"') > 0),
    count(*) filter (where strpos(words, '"outcome":"success"') = 0)
from (
    select project_id, at, event::text as words
    from audit
    where sequence > :after and sequence <= :last and sequence is not null and project_id is not null
    offset 0 -- makes the text only once per row
) a
where strpos(words, '"action":"session.create"') > 0
    and strpos(words, '"detail":"oauth"') = 0 and strpos(words, '"detail":"device"') = 0
group by 1, 2
order by 1, 2
on conflict (project_id, hour) do update
set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed
