-- Two columns (common/service/seal_table.h): `other`, true if another key than `key_id` sealed
-- {column}, and `value`, the sealed value if so. {missing} is `other` for rows without a value.
-- args: column, missing = false
-- in: key_id bytea
coalesce(substr({column}, 17, 8) <> :key_id, {missing}) as other,
case when substr({column}, 17, 8) <> :key_id then {column} end as value
