-- Adds the sign-ins of the sealed rows behind `after` up to `last` to the hours of their projects. The
-- session that an application gets of a person who is signed in on the pages ("oauth", "device") is
-- none. Members are looked for in the text, as audit_row() writes it: without blanks, and in a value
-- each quote has a backslash before it, so no value looks like a member. To parse a row costs 6 us.
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
    offset 0 -- the text is made once for each row
) a
where strpos(words, '"action":"session.create"') > 0
    and strpos(words, '"detail":"oauth"') = 0 and strpos(words, '"detail":"device"') = 0
group by 1, 2
order by 1, 2
on conflict (project_id, hour) do update
set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed
