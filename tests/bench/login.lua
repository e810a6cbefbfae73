-- Signs in in a loop without a second factor: start and token, one patient after the other, to stay below their limit of
-- sessions. BENCH_PEOPLE has one patient per line: role, tenant code, email address.
local flow = require "tests.bench.flow"
local people, at

flow.run(function()
    people = people or flow.lines(os.getenv("BENCH_PEOPLE"))
    at = (at or 0) % #people + 1
    return flow.start("Patient", people[at][3], people[at][2])
end, function(body)
    return flow.token("Patient", body)
end)
