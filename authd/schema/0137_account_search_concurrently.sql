-- Searches of releases before 0.3 read these; member_search takes their place.
drop index concurrently if exists account_search_email;
drop index concurrently if exists account_search_name;
drop index concurrently if exists account_search_surname;
