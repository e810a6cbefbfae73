-- Returns the files of several documents, each with its author (null: any). `number` is the place
-- in the lists, from 1.
-- class: read
-- in: projects uuid[], ids uuid[], authors uuid[], direct bool
-- rows: many
-- row: number int8, file struct document_file
select
    w.number,
    -- include: document_file_columns,
    -- include: upload_pending(direct = :direct)
from unnest(:projects, :ids, :authors) with ordinality as w (project, id, author, number)
cross join lateral (
    select * from document where project_id = w.project and id = w.id limit 1
) d
where w.author is null or d.author_id = w.author
