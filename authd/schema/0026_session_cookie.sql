-- The hash of the cookie of the browser that holds a session of the pages; null: a client holds it.
alter table session add column cookie_hash bytea;
