-- Hash of the browser's cookie, for sessions of pages; null: a client's session.
alter table session add column cookie_hash bytea;
