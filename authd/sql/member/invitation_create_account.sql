-- Makes an account for an invitation, unless there is one.
-- class: tx
-- in: project uuid, id uuid, account uuid, now int8
-- rows: none
with
created as (
    insert into account (id, role, project_id, email, name, surname, created_at)
    select
        :account, role, case when role = 'Patient' then project_id end, email, name, surname, :now
    from invitation
    where project_id = :project and id = :id
    on conflict do nothing
    returning id
),
-- include: address_key_insert(from = created)
select from created
