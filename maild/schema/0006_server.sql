-- Outcomes of a message's deliveries. attempts counts all.
alter table message
    add column answers      int not null default 0,         -- temporary refusals by the mail server
    add column unknowns     int not null default 0,         -- handed over without an answer: may have arrived
    add column server_wait  boolean not null default false, -- waits until the mail server is back
    add column expires_at   bigint;                         -- after that its link is useless; null: never
