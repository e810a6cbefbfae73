-- Passkeys of earlier releases, which did not record what they open.
drop index concurrently if exists passkey_opens_unknown;
create index concurrently passkey_opens_unknown on passkey (id) where opens_id is null;
