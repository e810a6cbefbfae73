#!/bin/bash
# pictures.sh FOLDER - `make console-pictures`: the console's screenshots in README.md and docs/, from a separate suite with
# some people, a day of sign-ins and branding.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
suite_start suite
psql -qAtX -v ON_ERROR_STOP=1 "$(suite_text suite conninfo)" <<'END'
insert into auth.trail_sign_in as h (project_id, hour, succeeded, failed)
select c.project_id, n.ms - n.ms % 3600000 - (24 - d.place) * 3600000, d.succeeded, d.failed
from settings.tenant_code c,
    (select (extract(epoch from now()) * 1000)::bigint as ms) n,
    unnest(
        array[2, 1, 0, 0, 0, 1, 3, 6, 9, 11, 10, 8, 5, 6, 9, 8, 7, 5, 3, 3, 2, 2, 1, 1],
        array[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0]
    ) with ordinality as d (succeeded, failed, place)
where c.code = 'demo'
on conflict (project_id, hour) do update
set succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed
END
node tests/console/pictures.mjs "$scratch/suite/dev.json" "$1"
