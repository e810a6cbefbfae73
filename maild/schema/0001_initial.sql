-- Projects' mail templates, and the message queue.

-- language '' is the template without a language, the last fallback.
create table template (
    project_id  uuid not null,
    name        text not null,
    language    text not null default '',
    subject     text not null,
    html        text,
    text        text not null,
    updated_at  bigint not null,            -- contract time
    primary key (project_id, name, language)
);

-- A message to one person. Its id is the sender's key, which makes repeated requests idempotent. All times here are
-- real time: neither retries nor leases follow a test clock. While an instance delivers a message, `lease` identifies
-- that delivery and due_at is the end of the lease. After a crash the message is simply due again.
create table message (
    id          uuid primary key,
    project_id  uuid not null,
    template    text not null,
    language    text not null default '',
    sealed      bytea,                      -- recipient and variables; null once the message has ended
    state       text not null default 'queued' check (state in ('queued', 'sent', 'dead', 'dropped')),
    attempts    int not null default 0,
    due_at      bigint not null,
    lease       uuid,
    last_error  text,                       -- the error, without address or content
    created_at  bigint not null,
    check ((state = 'queued') = (sealed is not null)),
    check (state = 'queued' or lease is null)
);
create index message_due on message (due_at) where state = 'queued';
create index message_over on message (created_at) where state <> 'queued';
