-- Whether another key than `key_id` sealed the value in {column}, and the value if so
-- (common/service/seal_table.h). {missing}: what a row without a value is.
-- args: column, missing = false
-- in: key_id bytea
coalesce(substr({column}, 17, 8) <> :key_id, {missing}) as other,
case when substr({column}, 17, 8) <> :key_id then {column} end as value
