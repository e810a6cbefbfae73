-- Languages of a project, and the name of whoever changed a setting.

-- BCP 47 tags in their usual case. Until they are written, a project speaks English.
alter table project
    add column languages text[] not null default '{en}' check (cardinality(languages) between 1 and 100),
    add column default_language text not null default 'en',
    add constraint project_default_language check (default_language = any (languages));

-- As it was at that time; null for the operator and for changes before this column. The history's names are those
-- of settings, "languages" and "defaultLanguage".
alter table setting_history add column profile_display text;
