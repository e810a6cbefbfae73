-- True if {column}, a row's expiry, is after {now}; for a row found by its key. The subtraction
-- excludes the index on that time, which the sweep uses: a plan from when the table was empty may
-- prefer it to the key, and read all unexpired rows for each request.
-- args: column, now
{column} - {now} > 0
