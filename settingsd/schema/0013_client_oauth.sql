-- Client applications' OAuth registrations and their secrets' hashes.

alter table client
    add column oauth           jsonb,       -- struct oauth_settings; null: public, without grants
    add column updated_at      bigint,      -- contract time; null: never
    add column secret_hash     bytea,       -- SHA-256 or null
    add column secret_at       bigint,      -- contract time of its creation
    add column previous_hash   bytea,       -- the previous secret's, valid ...
    add column previous_until  bigint,      -- ... until this time
    add check ((secret_hash is null) = (secret_at is null)) not valid,
    add check ((previous_hash is null) = (previous_until is null)) not valid;
