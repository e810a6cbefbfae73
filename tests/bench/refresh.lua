-- Refreshes tokens for ever: each thread has a queue of them; an answer puts its successor back. BENCH_TOKENS names a
-- file with one refresh token a line.
local flow = require "tests.bench.flow"
local queue, head, tail

flow.run(function()
    if not queue then
        queue = flow.lines(os.getenv("BENCH_TOKENS"))
        head, tail = 0, #queue
    end
    head = head + 1
    local token = queue[head] and queue[head][1] or "none"
    queue[head] = nil
    return flow.post("/auth/refresh-token", {refresh_token = token})
end, function(body)
    local token = flow.member(body, "refresh_token")
    if token then
        tail = tail + 1
        queue[tail] = {token}
    end
end)
