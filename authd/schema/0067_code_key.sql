-- Thumbprint of the key to which a code is bound (RFC 9449, section 10); null: none.
alter table oauth_code add column jkt text;
