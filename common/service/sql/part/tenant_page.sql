-- A page of a project's rows of {table} as JSON, after the row `after`, in the order of {key}, an
-- index that follows {project} (common/service/tenant_table.h). {state} is the moving part of row
-- t.
-- args: table, key, project = t.project_id, state = t
-- in: project uuid, after text, most int8
select row_to_json({state})::text as value
from {table} t
where {project} = :project
    and ({key}) > (select {key} from json_populate_record(null::{table}, :after::json))
order by {key}
limit :most
