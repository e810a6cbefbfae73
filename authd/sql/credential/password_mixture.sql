-- Counts imported and outdated hashes by owner (a project's patients, or with project null the
-- practitioners) and scheme, and returns the 16 most frequent schemes of each owner, ordered by
-- role, project and scheme. `hash` is an example; `count` of the owner's `accounts` have the
-- scheme. A scheme is a hash without its last part (bcrypt) or last two. strpos() cuts them off,
-- because regular expressions took two thirds longer.
-- class: read
-- rows: many
-- row: role role, project uuid null, hash text, count int8, accounts int8
with
imported as (
    select
        a.role,
        a.project_id,
        case
            when c.password_hash like '$2%' or c.password_hash like 'bcrypt$$2%' then
                left(c.password_hash, length(c.password_hash) + 1 - strpos(h.reversed, '$'))
            else
                left(
                    c.password_hash,
                    length(c.password_hash) + 1 - strpos(h.reversed, '$')
                    - strpos(substr(h.reversed, strpos(h.reversed, '$') + 1), '$')
                )
        end as scheme,
        c.password_hash
    from credential c
    join account a on a.id = c.account_id
    cross join lateral (select reverse(c.password_hash) as reversed) h
    where c.password_hash not like '$argon2id$v=19$m=19456,t=2,p=1$%'
),
counted as (
    select role, project_id, scheme, min(password_hash) as hash, count(*) as count
    from imported
    group by role, project_id, scheme
),
ranked as (
    select
        c.*,
        row_number() over (partition by role, project_id order by count desc, scheme) as rank
    from counted c
),
owner as (
    select
        o.role,
        o.project_id,
        case
            when o.role = 'Patient' then (
                select count(*) from account a where a.role = 'Patient' and a.project_id = o.project_id
            )
            else (select count(*) from account a where a.role = 'Practitioner')
        end as accounts
    from (select distinct role, project_id from imported) o
)
select r.role, r.project_id as project, r.hash, r.count, o.accounts
from ranked r
join owner o on o.role = r.role and o.project_id is not distinct from r.project_id
where r.rank <= 16
order by r.role, r.project_id, r.scheme collate "C"
limit 20000
