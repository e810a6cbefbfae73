-- What became of a message's deliveries, of which attempts counts all.
alter table message
    add column answers      int not null default 0,         -- refusals for now by the mail server
    add column unknowns     int not null default 0,         -- handed over and not answered: it may have arrived
    add column server_wait  boolean not null default false, -- waits for the mail server, which was away
    add column expires_at   bigint;                         -- its link is of no use from then on; null: never
