-- The browser's session that got a code for a pushed request. After a double click, the same
-- session gets another code within a minute (RFC 9126, section 4). Null: no session, or the answer
-- was an error.
alter table oauth_pushed add column used_by uuid;
