-- A project's account policy: a JSON object of the members that were set, or null.
alter table project add column account_policy jsonb;
