-- Existing accounts' names are folded too. Until then, they are found as before
-- (project_account_search_old_name.sql).
insert into account_name_due select id from account on conflict do nothing;
