-- The thumbprint of the key that a code is bound to (RFC 9449, section 10); null: to none.
alter table oauth_code add column jkt text;
