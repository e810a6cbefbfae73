-- A page of those whom a tenant's file has invited, behind the membership `after`. There is no
-- address where the invitation is over.
-- class: read
-- in: project uuid, after uuid, most int8
-- rows: many
-- row: struct transfer_invited
select
    t.account_id as account,
    t.membership_id as membership,
    (
        select i.email from invitation i where i.project_id = :project and i.id = t.membership_id
    ) as email,
    t.admin
from transfer_account t
where t.project_id = :project and t.invited and t.membership_id > :after
order by t.membership_id
limit :most
