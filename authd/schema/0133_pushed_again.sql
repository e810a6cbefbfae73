-- The browser's session that was given a code for a pushed request: within a minute it is given another, as after a double
-- click (RFC 9126, section 4). Null: none was, or the answer was an error.
alter table oauth_pushed add column used_by uuid;
