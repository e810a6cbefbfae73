-- What is posted to a webhook: events, or ended sessions as Security Event Tokens (CAEP). For these, a delivery's
-- `error` also contains why the receiver refused it.

alter table webhook
    add column format text not null default 'standard',
    add column audience text,               -- audience of the tokens; null: format standard
    add constraint webhook_format check (format in ('standard', 'caep')) not valid,
    add constraint webhook_audience check ((format = 'caep') = (audience is not null)) not valid;
