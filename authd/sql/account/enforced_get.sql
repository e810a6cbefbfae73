-- True if a person must sign in with an identity provider of these projects, a project with those
-- above it. `account` null: a person without one. `session`: only if that session of the first
-- project was not made by the provider (null: any).
-- class: read
-- in: projects uuid[], account uuid null, role role null, email text null
-- in: project uuid null, session uuid null
-- rows: one
-- row: enforced bool
select enforced_for(
    :projects, :account, :role, :email,
    (select identity_id from session where project_id = :project and id = :session)
) as enforced
