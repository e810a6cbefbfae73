-- Reads, for project_account_page, `walk` accounts of which {key}, an expression of account a that
-- an index has behind project_id, begins with {search}: the patients of {project}, or where
-- {patients} is false practitioners, of whatever project; behind {after_key} and {after}. There is one
-- lower bound: with {key} >= {search} beside the row that the page begins behind, PostgreSQL begins to
-- read at either of them, and with a million people took 150 ms to the first that fits.
-- args: key, project, patients, search, after_key, after, walk
(
    select a.id as account_id, a.id, {key} as key
    from account a
    where {patients} and a.project_id = {project}
        and {key} < lower({search}) || chr(1114111)
        and ({key}, a.id) > (greatest({after_key} collate "C", lower({search}) collate "C"), {after})
    order by {key}, a.id
    limit {walk}
)
union all
(
    select a.id as account_id, a.id, {key} as key
    from account a
    where not {patients} and a.project_id is null
        and {key} < lower({search}) || chr(1114111)
        and ({key}, a.id) > (greatest({after_key} collate "C", lower({search}) collate "C"), {after})
    order by a.project_id, {key}, a.id
    limit {walk}
)
