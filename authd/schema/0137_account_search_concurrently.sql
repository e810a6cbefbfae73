-- Drops the search indexes of releases before 0.3, which member_search replaces.
drop index concurrently if exists account_search_email;
drop index concurrently if exists account_search_name;
drop index concurrently if exists account_search_surname;
