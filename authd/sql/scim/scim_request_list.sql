-- Returns the latest requests of a project's directory, newest first, with the account of a user who
-- is a member.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct scim_request
select
    r.requested_at as "requestedAt",
    r.method,
    r.resource,
    coalesce(r.status, -1) as status,
    r.detail,
    m.account_id as "accountId"
from scim_request r
left join lateral (
    select account_id from membership where project_id = :project and id = r.resource_id limit 1
) m on true
where r.project_id = :project
order by r.id desc
limit 50
