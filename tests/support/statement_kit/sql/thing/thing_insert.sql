-- Adds a thing with two notes: 'it''s :quoted' has no parameter.
-- class: write tx
-- in: id int8, name text null
-- rows: none
with
inserted as (
    insert into thing (id, name, label) values (:id, :name, 'it''s :quoted') returning id
),
-- include: note(from = inserted),
-- include: note as second(from = inserted, text = coalesce(:name, 'none') || ', ' || :second.text)
select from inserted
