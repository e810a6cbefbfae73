-- Domains of email addresses that a project has verified, or wants to.

create table project_domain (
    project_id       uuid not null,
    domain           text not null,   -- in ASCII and lower case
    token            text,            -- of the DNS record; null: lost, or verified by an operator
    token_expires_at bigint,          -- a first verification must come before
    created_at       bigint not null,
    verified_at      bigint,          -- null: not verified
    missing_since    bigint,          -- since when a verified domain's record is missing
    checked_at       bigint,          -- when the record of a verified domain was last looked up
    by_operator      boolean not null default false,
    primary key (project_id, domain)
);
create unique index project_domain_verified on project_domain (domain)
where verified_at is not null;
create index project_domain_checked on project_domain (checked_at)
where verified_at is not null and not by_operator;
