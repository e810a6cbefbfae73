-- Notifications of clients about ended grants (OpenID Connect Back-Channel Logout 1.0). Times are
-- real time.
create table logout_delivery (
    project_id   uuid not null,
    session_id   uuid not null,             -- the grant's: claim sid
    client_id    text not null,
    subject      uuid not null,             -- profile: claim sub
    created_at   bigint not null,           -- start of its three days
    state        text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
    attempts     int not null default 0,
    due_at       bigint not null,           -- end of the lease, otherwise next attempt
    lease        uuid,
    tried_at     bigint,
    ended_at     bigint,
    status       int,                       -- last answer's; null: none
    error        text,                      -- why there was no answer; null: there was one
    primary key (project_id, session_id),
    check ((state = 'waiting') = (ended_at is null))
);
create index logout_delivery_due on logout_delivery (due_at) where state = 'waiting';
create index logout_delivery_client on logout_delivery (project_id, client_id, due_at) where state = 'waiting';
create index logout_delivery_ended on logout_delivery (ended_at) where ended_at is not null;

-- Any end of a session writes the row in its transaction. Each attempt looks up if the client wants
-- it, because registrations change.
do $make$
begin
    execute format($text$
        create function logout_delivery_add() returns trigger language plpgsql as $add$
        declare
            now constant bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
        begin
            insert into %1$I.logout_delivery (
                project_id, session_id, client_id, subject, created_at, due_at
            )
            select g.project_id, g.session_id, g.client_id, new.profile_id, now, now
            from %1$I.oauth_grant g
            where g.project_id = new.project_id and g.session_id = new.id
            on conflict do nothing;
            return null;
        end
        $add$
    $text$, current_schema());
end
$make$;

create trigger session_logout after update of ended_at on session
    for each row when (old.ended_at is null and new.ended_at is not null)
    execute function logout_delivery_add();
