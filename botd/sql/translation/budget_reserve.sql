-- Reserves characters of a project's budget of a day. 0 rows: too few are left.
-- class: write
-- in: project uuid, day int8, characters int8, characters_max int8
-- rows: one
-- row: characters int8
insert into translation_day as d (project_id, day, characters)
select :project, :day, :characters
where :characters <= :characters_max
on conflict (project_id, day) do update
set characters = d.characters + excluded.characters
where d.characters + excluded.characters <= :characters_max
returning characters
