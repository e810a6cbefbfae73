-- Returns the limits of a project's membership: the account policy as JSON, the project's name,
-- suspended or read-only, and an access policy's rules if it is the project's. No row: project not
-- found.
-- class: read
-- in: project uuid, policy uuid null
-- rows: one
-- row: account_policy text null, context struct caller_context_out
select
    p.account_policy::text,
    p.name as "projectName",
    p.branding->>'name' as "brandName",
    t.suspended,
    exists (select from project_hold h where h.project_id = p.id offset 0) as "readOnly",
    a.id as "policyId",
    a.name as "policyName",
    a.resource::text as "policyResource",
    a.ip_access_rule::text as "policyIpAccessRule"
from project p
left join access_policy a on a.project_id = p.id and a.id = :policy
-- include: project_tree
where p.id = :project
