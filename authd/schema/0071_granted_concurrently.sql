-- Requests that have taken effect, by age.
drop index concurrently if exists granted_at;
create index concurrently granted_at on granted (granted_at);
