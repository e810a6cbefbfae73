-- Requests of devices without a browser (RFC 8628), with hashes of both codes. The keys are the
-- hashes alone, so that plans from when the table is small use the right one.

create table oauth_device (
    project_id    uuid not null,
    device_hash   bytea not null,           -- SHA-256 of the device code, which has 256 random bits
    user_hash     bytea not null,           -- SHA-256 of project and user code
    client_id     text not null,
    scope         text not null,
    resource      text,
    patient_id    uuid,                     -- profile, once approved
    address       text not null,            -- the device's, as shown
    state         text not null default 'waiting'
        check (state in ('waiting', 'approved', 'denied', 'redeemed')),
    answer        text,                     -- last poll's
    account_id    uuid references account on delete cascade,
    session_id    uuid,                     -- the approving browser's
    signed_in_at  bigint,
    interval_s    bigint not null,          -- between polls
    polled_at     bigint,
    created_at    bigint not null,
    expires_at    bigint not null,
    keep_until    bigint not null,          -- until then, answers that it has expired
    primary key (device_hash)
);
create unique index oauth_device_user on oauth_device (user_hash);
create index oauth_device_keep on oauth_device (keep_until);
create index oauth_device_account on oauth_device (account_id);
