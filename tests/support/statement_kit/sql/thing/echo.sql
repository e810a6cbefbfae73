-- Returns every type, also from columns of small integers.
-- class: read
-- in: key uuid, text text, role role, number int8, flag bool, bytes bytea
-- in: no_key uuid null, no_text text null, no_role role null, no_number int8 null, no_flag bool null, no_bytes bytea null
-- in: keys uuid[], texts text[], numbers int8[], byteses bytea[]
-- rows: one
-- row: key uuid, text text, role role, number int8, flag bool, bytes bytea
-- row: no_key uuid null, no_text text null, no_role role null, no_number int8 null, no_flag bool null, no_bytes bytea null
-- row: small int8, middle int8, first_key uuid, joined text, sum int8, first_bytes bytea
select :key as key, :text as text, :role as role, :number as number, :flag as flag, :bytes as bytes,
    :no_key as no_key, :no_text as no_text, :no_role as no_role, :no_number as no_number, :no_flag as no_flag,
    :no_bytes as no_bytes, 7::int2 as small, -8::int4 as middle, (:keys)[1] as first_key,
    array_to_string(:texts, '+') as joined,
    (select sum(n)::int8 from unnest(:numbers) n) as sum, (:byteses)[1] as first_bytes
