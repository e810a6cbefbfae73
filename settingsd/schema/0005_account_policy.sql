-- What a project asks of its accounts: a JSON object of the members of the account policy that were written. Null: none.
alter table project add column account_policy jsonb;
