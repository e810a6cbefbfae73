-- Signs in for ever, without a second factor: start and token, one patient.
local flow = require "tests.bench.flow"
local email = os.getenv("BENCH_EMAIL")

flow.run(function()
    return flow.start("Patient", email, "demo")
end, function(body)
    return flow.token("Patient", body)
end)
