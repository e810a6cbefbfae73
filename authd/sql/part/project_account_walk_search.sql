-- Reads, for project_account_page, `walk` rows r of {table}, one or several of account {id}, of which
-- {key}, an expression that an index has behind project_id, begins with {search}: of the patients of
-- {project}, or where {patients} is false of practitioners, of whatever project; behind {after_key} and
-- {after}. There is one lower bound: with {key} >= {search} beside the row that the page begins behind,
-- PostgreSQL begins to read at either of them, and with a million people took 150 ms to the first that
-- fits.
-- args: table, id, key, project, patients, search, after_key, after, walk
(
    select {id} as account_id, {id} as id, {key} as key
    from {table} r
    where {patients} and r.project_id = {project}
        and {key} < {search} || chr(1114111)
        and ({key}, {id}) > (greatest({after_key} collate "C", {search} collate "C"), {after})
    order by {key}, {id}
    limit {walk}
)
union all
(
    select {id} as account_id, {id} as id, {key} as key
    from {table} r
    where not {patients} and r.project_id is null
        and {key} < {search} || chr(1114111)
        and ({key}, {id}) > (greatest({after_key} collate "C", {search} collate "C"), {after})
    order by r.project_id, {key}, {id}
    limit {walk}
)
