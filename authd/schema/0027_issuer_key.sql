-- Keys that sign what the issuers below /t/ give out; those of signing_key sign nothing of it. The private part is
-- sealed with the daemon's key.
create table issuer_key (
    kid            text primary key,
    alg            text not null check (alg in ('ES256', 'RS256')),
    private_sealed bytea not null,
    created_at     bigint not null,
    active_at      bigint not null,         -- signs from here on: those who verify have it a day before
    retire_at      bigint                   -- no longer published from here on
);
