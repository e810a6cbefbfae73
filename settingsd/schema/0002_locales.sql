-- Languages of a project, and the name of a setting's author.

-- BCP 47 tags in their usual case; the default is English.
alter table project
    add column languages text[] not null default '{en}' check (cardinality(languages) between 1 and 100),
    add column default_language text not null default 'en',
    add constraint project_default_language check (default_language = any (languages));

-- The author's name at that time; null for the operator and for changes before this column. The history has settings'
-- names, "languages" and "defaultLanguage".
alter table setting_history add column profile_display text;
