-- Projects with enabled webhooks.
drop index concurrently if exists webhook_enabled;
create index concurrently webhook_enabled on webhook (project_id) where enabled;
