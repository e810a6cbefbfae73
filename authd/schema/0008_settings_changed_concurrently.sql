-- The last change of a policy or project, for which settingsd's answers are valid.
drop index concurrently if exists change_settings;
create index concurrently change_settings on change (sequence) where kind in ('policy', 'project');
