-- Makes projects read-only for the project `holder`; times are real, in ms. Returns the
-- transaction's number for hold_is_settled.
-- class: tx
-- in: holder uuid, projects uuid[], now int8
-- rows: one
-- row: xact int8
with
added as (
    insert into project_hold (project_id, held_by, held_at)
    select p.id, :holder, :now
    from unnest(:projects) p (id)
    on conflict do nothing
)
select pg_current_xact_id()::text::int8 as xact
