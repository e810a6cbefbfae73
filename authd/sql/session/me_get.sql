-- An account, each row with one of its newest live sessions in a project; one row without a session
-- when none lives. Newest by sign-in: an index by last use would be one more that each renewal
-- writes, on other pages than the session's own. `verified` are the organisations that the address
-- is proven for, the nil UUID for all, as the text of an array: an aggregate would cost more than
-- the rest.
-- class: read
-- in: project uuid null, account uuid, asking uuid, now int8, most int8
-- rows: many
-- row: email text, name text, surname text, mfa bool, verified text, session struct session_record
select
    a.email,
    a.name,
    a.surname,
    coalesce(
        -- include: factor_enrolled(account = a.id)
    , false) as mfa,
    array(
        select v.organization_id from email_verified v where v.account_id = a.id
    )::text as verified,
    l.*,
    l.id = :asking as current
from account a
left join lateral (
    select
        -- include: session_columns
    from session s
    where s.project_id = :project and s.account_id = a.id and
        -- include: session_active(session = s, now = :now)
    order by s.id desc
    limit :most
) l on true
where a.id = :account
