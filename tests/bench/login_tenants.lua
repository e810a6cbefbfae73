-- Signs in practitioners of three tenants for ever: a start that names none, and the token of the last one that it
-- lists. BENCH_PEOPLE has a line for each: role, tenant code, e-mail.
local flow = require "tests.bench.flow"
local people, at

flow.run(function()
    people = people or flow.lines(os.getenv("BENCH_PEOPLE"))
    at = (at or 0) % #people + 1
    return flow.start("Practitioner", people[at][3])
end, function(body)
    return flow.token("Practitioner", body, flow.member(body, "tenantCode"))
end)
