-- Refreshes tokens for ever: each thread owns a queue of them; an answer puts its successor back.
-- TOKENS names a file with one refresh token a line; thread n takes every THREADS-th.
local threads = tonumber(os.getenv("BENCH_THREADS"))
local count = 0

function setup(thread)
    thread:set("number", count)
    count = count + 1
end

function init(args)
    queue, head, tail = {}, 1, 0
    local line_number = 0
    for line in io.lines(os.getenv("BENCH_TOKENS")) do
        if line_number % threads == number then
            tail = tail + 1
            queue[tail] = line
        end
        line_number = line_number + 1
    end
    refused = 0
end

function request()
    local token = queue[head]
    queue[head] = nil
    head = head + 1
    return wrk.format("POST", "/auth/refresh-token", {["Content-Type"] = "application/json"},
                      '{"refresh_token":"' .. (token or "none") .. '"}')
end

function response(status, headers, body)
    local token = body:match('"refresh_token":"([^"]*)"')
    if token then
        tail = tail + 1
        queue[tail] = token
    end
end
