-- Whether an account has a passkey of a relying party, and is an admin of the project that it signs
-- in to.
-- class: read
-- in: account uuid, rp_id text, rp_project uuid null, project uuid
-- rows: one
-- row: serves bool, admin bool
select
    exists (
        select
        from passkey
        where account_id = :account and rp_id = :rp_id
            and project_id is not distinct from :rp_project
    ) as serves,
    exists (
        select
        from membership
        where project_id = :project and account_id = :account and admin
    ) as admin
