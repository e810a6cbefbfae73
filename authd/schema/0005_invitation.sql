-- Invitations to a project, pending until the emailed link is used or an admin withdraws them.

create table invitation (
    project_id   uuid not null,
    id           uuid not null,             -- in the link, and the later membership's
    role         text not null check (role in ('Patient', 'Practitioner')),
    email        text not null check (length(email) <= 254),
    name         text not null,
    surname      text not null,
    admin        boolean not null default false,
    policy_id    uuid,
    profile_id   uuid not null,             -- the later membership's
    invited_at   bigint not null,
    invited_by   uuid,                      -- membership; null: created by a sign-up
    secret_hash  bytea not null,            -- of the newest link
    expires_at   bigint not null,           -- the link's; the invitation is kept longer
    check (role = 'Practitioner' or not admin),
    primary key (project_id, id),
    unique (project_id, role, email)
);
create unique index invitation_link on invitation (id);    -- a link names no project
create index invitation_expires on invitation (expires_at);

-- When the member was invited; null: never.
alter table membership add column invited_at bigint;
