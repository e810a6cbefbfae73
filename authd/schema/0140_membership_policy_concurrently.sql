-- The members with a policy, in the order of a list's pages. Replaces the index of release 0.1, which
-- has the same columns without the last.
drop index concurrently if exists membership_policy_id;
create index concurrently membership_policy_id on membership (project_id, policy_id, id);
drop index concurrently if exists membership_policy;
