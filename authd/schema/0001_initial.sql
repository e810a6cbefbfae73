-- Accounts, memberships, sign-in, sessions and changes for gateways. Times are contract time in ms
-- since the epoch, passed as parameters, unless a comment says otherwise. Rows of a tenant have
-- project_id, which their indexes begin with.

-- A patient's account belongs to one project; a practitioner's is one person in many projects.
create table account (
    id          uuid primary key,
    role        text not null check (role in ('Patient', 'Practitioner')),
    project_id  uuid,
    email       text not null check (length(email) <= 254),
    name        text not null,
    surname     text not null,
    created_at  bigint not null,
    check ((role = 'Patient') = (project_id is not null))
);
create unique index account_patient on account (project_id, email) where role = 'Patient';
create unique index account_practitioner on account (email) where role = 'Practitioner';
create index account_email on account (email);              -- operators search by email alone

create table credential (
    account_id    uuid primary key references account on delete cascade,
    password_hash text not null,            -- Argon2id in PHC form
    updated_at    bigint not null
);

-- A person's membership in a project, with the platform's profile of the person.
create table membership (
    project_id  uuid not null,
    id          uuid not null,
    account_id  uuid not null references account on delete cascade,
    profile_id  uuid not null,
    admin       boolean not null default false,
    policy_id   uuid,
    created_at  bigint not null,
    primary key (project_id, id)
);
create unique index membership_account on membership (account_id, project_id);
create index membership_policy on membership (project_id, policy_id);

-- A sign-in from its start to its token. The code is stored as a hash; its first use spends it.
create table login (
    id             uuid primary key,
    code_hash      bytea,                   -- null: waits for a second factor
    account_id     uuid not null references account on delete cascade,
    project_id     uuid,                    -- tenant named at the start
    challenge      text not null,           -- S256, base64url
    auth_method    text not null,
    created_at     bigint not null,
    expires_at     bigint not null,
    used_at        bigint,
    session_project uuid,                   -- session from this code, ended by a second use
    session_id     uuid
);
create unique index login_code on login (code_hash) where code_hash is not null;
create index login_expires on login (expires_at);

-- A session. Refresh tokens are stored as hashes; the generation says which one is current.
create table session (
    project_id       uuid not null,
    id               uuid not null,
    account_id       uuid not null references account on delete cascade,
    membership_id    uuid not null,
    profile_id       uuid not null,         -- profile and role never change: a refresh
    role             text not null,         -- needs no join
    auth_method      text not null,
    remote_address   text not null,
    browser          text,
    os               text,
    created_at       bigint not null,
    last_updated     bigint not null,
    generation       bigint not null default 1,
    refresh_hash     bytea not null,        -- current token
    previous_hash    bytea,                 -- previous token, until the current one is used
    successor_sealed bytea,                 -- the current token, sealed under a key from the previous one
    rotated_at       bigint,
    idle_until       bigint not null,
    absolute_until   bigint not null,
    ended_at         bigint,
    end_reason       text check (end_reason in ('logout', 'revoked', 'theft', 'login-replay', 'removed')),
    end_token        uuid,                  -- jti of the access token that signed out
    check ((ended_at is null) = (end_reason is null)),
    primary key (project_id, id)
) with (fillfactor = 70);
-- No index has a column that a refresh changes, so its update stays on the row's page (HOT).
create index session_account on session (project_id, account_id, id) where ended_at is null;
create index session_ended on session (ended_at) where ended_at is not null;
create index session_over on session (absolute_until);

-- Sliding windows: unordered times of a key's last hits. The key is a keyed hash of kind and
-- subject.
create table throttle (
    key      bytea primary key,
    hits     bigint[] not null,
    until    bigint not null
) with (fillfactor = 70);
create index throttle_until on throttle (until);

-- Network addresses of successful sign-ins to an account. There, others' failures don't lock its
-- owner out.
create table known_address (
    key      bytea primary key,             -- hash of (tenant, email address, network address)
    until    bigint not null
);
create index known_address_until on known_address (until);

-- Keys that sign access tokens; the private part is sealed.
create table signing_key (
    kid            text primary key,
    private_sealed bytea not null,
    public_pem     text not null,
    x              text not null,
    y              text not null,
    created_at     bigint not null,
    active_at      bigint not null,         -- signs from then on, so that all verifiers have it before
    retire_at      bigint                   -- not accepted from then on
);

-- Changes that every gateway must apply, in commit order: the counter's row is locked until the
-- commit, so a reader that has seen number n has seen all before it.
create table change_counter (
    only_row  boolean primary key default true check (only_row),
    sequence  bigint not null
);
insert into change_counter (sequence) values (0);

create table change (
    sequence  bigint not null,
    kind      text not null check (kind in ('session', 'membership', 'policy', 'project', 'keys')),
    id        uuid not null,
    token     uuid,
    until     bigint not null,              -- afterwards irrelevant
    primary key (sequence, id)
);
create index change_until on change (until);

-- Gateways with a lease. Each renewal increments `renewals`. An authd that sees no change for
-- longer than a lease, by its own monotonic clock, deletes the stopped gateway's row.
create table gateway_lease (
    gateway   text primary key,
    boot      text not null,
    sequence  bigint not null,
    renewals  bigint not null
);

-- Other daemons' requests that must take effect once.
create table granted (
    key         uuid primary key,
    granted_at  bigint not null
);

create table outbox (
    id          uuid primary key,
    method      text not null,
    body        bytea not null,
    created_at  bigint not null,            -- real time
    attempts    int not null default 0,
    due_at      bigint not null             -- real time
);
create index outbox_due on outbox (due_at);
