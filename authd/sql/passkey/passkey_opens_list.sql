-- Lists what an account's passkeys of a relying party open, and if the account is an admin of the
-- sign-in's project.
-- class: read
-- in: account uuid, rp_id text, project uuid
-- rows: many
-- row: opens uuid null, admin bool
select distinct
    p.opens_id as opens,
    exists (
        select
        from membership
        where project_id = :project and account_id = :account and admin
    ) as admin
from passkey p
where p.account_id = :account and p.rp_id = :rp_id
