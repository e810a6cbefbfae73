-- Refreshes tokens in a loop: each thread has a queue, to which a response's new token is added. BENCH_TOKENS is a file
-- with one refresh token per line. BENCH_PATH, BENCH_BODY (%s is the token) and BENCH_TYPE are for other servers.
local flow = require "tests.bench.flow"
local path = os.getenv("BENCH_PATH") or "/auth/refresh-token"
local body = os.getenv("BENCH_BODY") or '{"refresh_token":"%s"}'
local headers = {["Content-Type"] = os.getenv("BENCH_TYPE") or "application/json"}
local queue, head, tail

flow.run(function()
    if not queue then
        queue = flow.lines(os.getenv("BENCH_TOKENS"))
        head, tail = 0, #queue
    end
    head = head + 1
    local token = queue[head] and queue[head][1] or "none"
    queue[head] = nil
    return wrk.format("POST", path, headers, body:format(token))
end, function(answer)
    local token = flow.member(answer, "refresh_token")
    if token then
        tail = tail + 1
        queue[tail] = {token}
    end
end)
