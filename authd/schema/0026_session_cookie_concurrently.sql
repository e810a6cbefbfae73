-- Pages find their session by the browser's cookie.
drop index concurrently if exists session_cookie;
create unique index concurrently session_cookie on session (project_id, cookie_hash) where cookie_hash is not null;
