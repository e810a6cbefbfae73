-- The browser's session that got a code for a pushed request. For a minute it gets another one, for
-- double clicks (RFC 9126, section 4). Null: none, or the answer was an error.
alter table oauth_pushed add column used_by uuid;
