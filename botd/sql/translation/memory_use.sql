-- Records uses of translations, if the recorded use is older. Skips locked rows, which other
-- transactions are using.
-- class: write
-- in: project uuid, now int8, keys bytea[], used_before int8
-- rows: none
update translation_memory
set used_at = :now
where ctid = any (array(
    select m.ctid
    from unnest(:keys) asked (key)
    cross join lateral (
        select ctid
        from translation_memory
        where project_id = :project and key = asked.key and used_at < :used_before
        for update skip locked
    ) m
))
