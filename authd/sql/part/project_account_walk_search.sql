-- Reads, for project_account_page, `walk` accounts of which {key}, an expression of account a that
-- an index has behind project_id, begins with {search}: the patients of {project}, or where
-- {patients} is false practitioners, of whatever project; behind {after_key} and {after}.
-- args: key, project, patients, search, after_key, after, walk
(
    select a.id as account_id, a.id, {key} as key
    from account a
    where {patients} and a.project_id = {project}
        and {key} >= lower({search}) and {key} < lower({search}) || chr(1114111)
        and ({key}, a.id) > ({after_key}, {after})
    order by {key}, a.id
    limit {walk}
)
union all
(
    select a.id as account_id, a.id, {key} as key
    from account a
    where not {patients} and a.project_id is null
        and {key} >= lower({search}) and {key} < lower({search}) || chr(1114111)
        and ({key}, a.id) > ({after_key}, {after})
    order by a.project_id, {key}, a.id
    limit {walk}
)
