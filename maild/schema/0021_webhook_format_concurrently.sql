-- Existing rows have the format standard.
alter table webhook validate constraint webhook_format;
alter table webhook validate constraint webhook_audience;
