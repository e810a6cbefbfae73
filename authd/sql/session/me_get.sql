-- Returns an account, with its newest live sessions in a project in one row each, or one row
-- without a session. Newest by sign-in, since an index by last use would have to be written by each
-- refresh. `verified` are the organizations for which the address is verified (the nil UUID: all),
-- as an array's text: an aggregate would cost more than all the rest.
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
