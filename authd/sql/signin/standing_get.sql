-- Finds an account's membership in a project, with what admission checks.
-- class: read
-- in: account uuid null, project uuid
-- rows: one
-- row: policy uuid null, admin bool, change int8, locked bool
select
    m.policy_id as policy,
    m.admin,
    -- include: settings_change
    as change,
    m.locked_at is not null as locked
from (select) one
cross join
    -- include: membership_of(account = :account, project = :project)
