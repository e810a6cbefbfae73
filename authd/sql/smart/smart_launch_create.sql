-- Creates a launch. No row: the project has no such patient, or the account has 100 unexpired
-- launches.
-- class: write
-- in: project uuid, hash bytea, account uuid, client_id text, server uuid, patient uuid, now int8
-- in: expires_at int8
-- rows: one
-- row: expires_at int8
with
patient as (
    select m.profile_id
    from (
        select account_id, profile_id
        from membership
        where project_id = :project and profile_id = :patient and locked_at is null
        limit 1
    ) m
    cross join
        -- include: account_of(row = m)
    where a.role = 'Patient' and a.locked_at is null and
        -- include: account_active(account = a, now = :now)
),
created as (
    insert into smart_launch (
        project_id, hash, account_id, client_id, server_id, patient_id, created_at, expires_at
    )
    select :project, :hash, :account, :client_id, :server, profile_id, :now, :expires_at
    from patient
    where (
        select count(*) from smart_launch where account_id = :account and expires_at > :now
    ) < 100
    returning patient_id as id, expires_at
),
-- include: audit(from = created)
select expires_at from created
