-- True if another key than `key_id` sealed {column}, with the value then
-- (common/service/seal_table.h). {missing} is the result for rows without a value.
-- args: column, missing = false
-- in: key_id bytea
coalesce(substr({column}, 17, 8) <> :key_id, {missing}) as other,
case when substr({column}, 17, 8) <> :key_id then {column} end as value
