-- Launches from a health record (SMART App Launch 2.2), and the patient of a grant.

create table smart_launch (
    project_id  uuid not null,
    hash        bytea not null,             -- SHA-256 of the launch, which has 256 random bits
    account_id  uuid not null references account on delete cascade,
    client_id   text not null,
    server_id   uuid not null,
    patient_id  uuid not null,              -- profile
    created_at  bigint not null,
    expires_at  bigint not null,
    used_at     bigint,                     -- by the code
    primary key (project_id, hash)
);
create index smart_launch_expires on smart_launch (expires_at);
create index smart_launch_account on smart_launch (account_id);

alter table oauth_code add column patient_id uuid;
alter table oauth_grant add column patient_id uuid;
