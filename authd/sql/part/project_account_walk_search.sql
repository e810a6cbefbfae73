-- Reads, for project_account_page, `walk` rows r of {table}, one or several of account {id}, whose
-- {key} begins with {search}, after {after_key} and {after}. {key} is an expression that an index
-- contains after project_id. The rows are of the patients of {project} or, if {patients} is false,
-- of practitioners of any project. There must be only one lower bound: with {key} >= {search} as a
-- second one, PostgreSQL chose between them, and with a million people took 150 ms to the first
-- match.
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
