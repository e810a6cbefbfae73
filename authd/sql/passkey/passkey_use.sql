-- Records a passkey's use: its counter, unless a later use was faster, and its backup state.
-- No row: deleted meanwhile.
-- class: tx
-- in: id uuid, sign_count int8, backed_up bool, now int8
-- rows: one
with
used as (
    update passkey
    set sign_count = greatest(sign_count, :sign_count), backed_up = :backed_up, last_used_at = :now
    where id = :id
    returning 1
)
select from used
