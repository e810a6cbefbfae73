-- Signs in through a client application in a loop: one request, two hash verifications.
local flow = require "tests.bench.flow"
local body = {email = os.getenv("BENCH_EMAIL"), password = os.getenv("BENCH_PASSWORD"),
              clientId = os.getenv("BENCH_CLIENT")}

flow.run(function()
    return flow.post("/v2/auth/login", body)
end, function()
end)
