-- The project's default language at queueing, used if no template has the recipient's language.
alter table message add column default_language text not null default '';
