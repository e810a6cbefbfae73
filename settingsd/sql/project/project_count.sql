-- Counts the parent's children, the tree's projects, and the projects that the account has created
-- since `since`, each up to a limit. `oldest` is when the oldest one counted for the account was
-- created.
-- class: tx
-- in: parent uuid, root uuid, account uuid, since int8
-- in: most_children int8, most_projects int8, most_made int8
-- rows: one
-- row: children int8, projects int8, made int8, oldest int8 null
with recursive
below (id) as (
    select :root
    union all
    select c.id
    from below b
    cross join lateral (select id from project where parent_id = b.id) c
)
select
    (select count(*) from (select from project where parent_id = :parent limit :most_children) c)
        as children,
    (select count(*) from (select from below limit :most_projects) b) as projects,
    m.made,
    m.oldest
from (
    select count(*) as made, min(created_at) as oldest
    from (
        select created_at
        from project
        where created_by = :account and created_at > :since
        order by created_at desc
        limit :most_made
    ) l
) m
