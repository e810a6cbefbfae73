-- Signing keys of the issuers below /t/, which sign nothing with signing_key. The private part is
-- sealed.
create table issuer_key (
    kid            text primary key,
    alg            text not null check (alg in ('ES256', 'RS256')),
    private_sealed bytea not null,
    created_at     bigint not null,
    active_at      bigint not null,         -- signs from then on: verifiers have it a day before
    retire_at      bigint                   -- not published from then on
);
