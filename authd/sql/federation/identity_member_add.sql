-- Makes a new account a member. Runs after identity_account_create.
-- class: tx
-- in: project uuid, id uuid, account uuid, profile uuid, policy uuid, provider uuid, now int8
-- rows: one
with
joined as (
    insert into membership (
        project_id, id, account_id, profile_id, policy_id, created_at, provisioned_by
    )
    values (:project, :id, :account, :profile, :policy, :now, :provider)
    returning id
),
-- include: audit(from = joined)
select from joined
