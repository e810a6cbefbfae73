-- Client applications as OAuth clients: their registration, and the hashes of their secrets.

alter table client
    add column oauth           jsonb,       -- the members of struct oauth_settings; null: a public one, without grants
    add column updated_at      bigint,      -- contract time; null: never since it was made
    add column secret_hash     bytea,       -- SHA-256; null: it has none
    add column secret_at       bigint,      -- contract time at which it was made
    add column previous_hash   bytea,       -- the secret before, which counts too
    add column previous_until  bigint,      -- until then
    add check ((secret_hash is null) = (secret_at is null)) not valid,
    add check ((previous_hash is null) = (previous_until is null)) not valid;
