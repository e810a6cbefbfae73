-- Deliveries to webhooks. Times are real time in ms, except happened_at.

-- How far each daemon's audit log was read for events.
create table webhook_source (
    source      text primary key,           -- the daemon
    sequence    bigint                      -- place in its chain; null: unread
);
insert into webhook_source (source) values ('authd'), ('settingsd'), ('docd');

-- One instance at a time posts to a webhook. The row outlives a deleted webhook until its deliveries are deleted.
create table webhook_queue (
    webhook_id     uuid primary key,
    project_id     uuid not null,
    additions       bigint not null default 0,   -- how often deliveries were added
    due_at         bigint,                      -- end of the lease; without one, when to post; null: nothing waits
    lease          uuid,
    failures       int not null default 0,      -- since the last success
    failing_since  bigint,
    check ((failures = 0) = (failing_since is null))
);
create index webhook_queue_due on webhook_queue (due_at) where due_at is not null;
create index webhook_queue_failing on webhook_queue (failing_since) where failing_since is not null;
create index webhook_queue_project on webhook_queue (project_id, webhook_id);

create table webhook_delivery (
    project_id   uuid not null,
    webhook_id   uuid not null,
    sequence     bigint generated always as identity,   -- order of events
    event_id     uuid not null,             -- equal for all webhooks
    lane         uuid not null,             -- the account, whose events are posted one after another
    type         text not null,
    body         text not null,             -- JSON
    happened_at  bigint not null,           -- contract time
    created_at   bigint not null,           -- start of its three days
    state        text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
    attempts     int not null default 0,
    due_at       bigint not null,           -- next attempt
    tried_at     bigint,
    ended_at     bigint,
    status       int,                       -- last answer; null: none
    error        text,                      -- why there was no answer; null: answered
    primary key (project_id, webhook_id, sequence),
    check ((state = 'waiting') = (ended_at is null))
);
create index webhook_delivery_waiting on webhook_delivery (webhook_id, sequence) where state = 'waiting';
create index webhook_delivery_again on webhook_delivery (webhook_id, due_at) where state = 'waiting' and attempts > 0;
create index webhook_delivery_old on webhook_delivery (created_at) where state = 'waiting';
create index webhook_delivery_failed on webhook_delivery (webhook_id, sequence) where state = 'failed';
create index webhook_delivery_ended on webhook_delivery (ended_at) where state <> 'waiting';
