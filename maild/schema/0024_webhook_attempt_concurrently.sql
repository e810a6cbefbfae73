-- Existing URLs are https.
alter table webhook validate constraint webhook_url;
