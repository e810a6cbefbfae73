-- The last change of a policy or a project: what settingsd said of them holds while it is the last.
drop index concurrently if exists change_settings;
create index concurrently change_settings on change (sequence) where kind in ('policy', 'project');
