-- Finds a member, or a pending invitation, which has no account. No row: neither.
-- class: read
-- in: project uuid, id uuid, organization uuid null
-- rows: one
-- row: account uuid null, member struct member
select
    a.id as account,
    -- include: member_columns(organization = :organization)
from membership m
join account a on a.id = m.account_id
where m.project_id = :project and m.id = :id
union all
select
    null,
    -- include: invited_columns
from invitation i
where i.project_id = :project and i.id = :id
