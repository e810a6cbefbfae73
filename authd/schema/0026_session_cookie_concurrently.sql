-- A page finds its session by the cookie of the browser that asks.
drop index concurrently if exists session_cookie;
create unique index concurrently session_cookie on session (project_id, cookie_hash) where cookie_hash is not null;
