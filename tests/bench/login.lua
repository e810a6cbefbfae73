-- Signs in for ever, without a second factor: start and token, one patient after the other, so that none reaches the limit
-- of its sessions. BENCH_PEOPLE has a line for each: role, tenant code, e-mail.
local flow = require "tests.bench.flow"
local people, at

flow.run(function()
    people = people or flow.lines(os.getenv("BENCH_PEOPLE"))
    at = (at or 0) % #people + 1
    return flow.start("Patient", people[at][3], people[at][2])
end, function(body)
    return flow.token("Patient", body)
end)
