-- Attempts of a delivery, and receivers on the same machine that speak http, which only `allow_plain_http` permits.

alter table webhook_delivery
    add column duration int,                -- ms of the last attempt; null: attempt of an earlier release
    add column earlier jsonb;               -- attempts before the last, newest first, at most 19; null: none

alter table webhook
    drop constraint webhook_check,
    add constraint webhook_url check ((url like 'https://%' or url like 'http://%') and cardinality(events) > 0) not valid;
