-- Signs in practitioners of three tenants in a loop: a start without a tenant, and a token of the last one listed.
-- BENCH_PEOPLE has one per line: role, tenant code, email address.
local flow = require "tests.bench.flow"
local people, at

flow.run(function()
    people = people or flow.lines(os.getenv("BENCH_PEOPLE"))
    at = (at or 0) % #people + 1
    return flow.start("Practitioner", people[at][3])
end, function(body)
    return flow.token("Practitioner", body, flow.member(body, "tenantCode"))
end)
