-- Provisioning by a project's directory (SCIM 2.0, RFC 7643 and 7644).

create table scim_token (
    project_id    uuid not null,
    id            uuid not null,
    name          text not null,
    hash          bytea not null unique,    -- SHA-256 of the token, which has 256 random bits
    addresses     text[] not null,          -- networks that can use it; empty: any
    created_by    uuid not null,            -- membership
    created_at    bigint not null,
    expires_at    bigint not null,
    last_used_at  bigint,                   -- up to an hour too early; null: never
    primary key (project_id, id)
);
create index scim_token_expires on scim_token (expires_at);

-- What the directory says of a member or pending invitation of the same id. Others are users of the
-- directory, too, without a row.
create table scim_user (
    project_id     uuid not null,
    id             uuid not null,
    membership_id  uuid,
    invitation_id  uuid,
    user_name      text,                    -- as the directory writes it; null: the email address
    external_id    text,
    locked_at      bigint,                  -- membership.locked_at, if the directory has locked it
    primary key (project_id, id),
    check ((membership_id is null) <> (invitation_id is null)),
    foreign key (project_id, membership_id) references membership (project_id, id) on delete cascade,
    foreign key (project_id, invitation_id) references invitation (project_id, id) on delete cascade
);
create index scim_user_membership on scim_user (project_id, membership_id);
create index scim_user_invitation on scim_user (project_id, invitation_id);
create unique index scim_user_name on scim_user (project_id, lower(user_name));
create index scim_user_external on scim_user (project_id, external_id);

create table scim_group (
    project_id    uuid not null,
    id            uuid not null,
    display_name  text not null,
    external_id   text,
    created_at    bigint not null,
    primary key (project_id, id)
);
create index scim_group_name on scim_group (project_id, lower(display_name));
create index scim_group_external on scim_group (project_id, external_id);

create table scim_group_member (
    project_id  uuid not null,
    group_id    uuid not null,
    user_id     uuid not null,
    primary key (project_id, group_id, user_id),
    foreign key (project_id, group_id) references scim_group (project_id, id) on delete cascade,
    foreign key (project_id, user_id) references scim_user (project_id, id) on delete cascade on update cascade
);
create index scim_group_member_user on scim_group_member (project_id, user_id);

-- The access policy of a group's members. A member of several groups has that of the first place.
create table scim_mapping (
    project_id  uuid not null,
    place       int not null,
    group_key   text not null,              -- id or external_id of a group
    policy_id   uuid not null,
    primary key (project_id, place)
);
