-- Counts passkeys by relying party, project of its application (null: the installation's) and
-- owner's role; the 1,000 largest counts.
-- class: read
-- rows: many
-- row: rp_id text, project uuid null, role role, passkeys int8
select
    p.rp_id, p.project_id as project, a.role, count(*) as passkeys
from passkey p
join account a on a.id = p.account_id
group by p.rp_id, p.project_id, a.role
order by count(*) desc, p.rp_id, p.project_id, a.role
limit 1000
