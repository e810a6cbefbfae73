-- What is posted to a webhook: events as they are, or ends of sessions as Security Event Tokens (CAEP). Deliveries of
-- these have in `error` why the receiver has refused one, too.

alter table webhook
    add column format text not null default 'standard',
    add column audience text,               -- whom the tokens are for; null: the format is standard
    add constraint webhook_format check (format in ('standard', 'caep')) not valid,
    add constraint webhook_audience check ((format = 'caep') = (audience is not null)) not valid;
