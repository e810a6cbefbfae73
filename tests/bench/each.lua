-- Requests the paths of the file BENCH_PATHS in a cycle, with a list per thread.
local flow = require "tests.bench.flow"
local threads, paths, at = 0, nil, 0

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

function request()
    paths = paths or flow.lines(os.getenv("BENCH_PATHS"))
    at = at % #paths + 1
    return wrk.format("GET", paths[at][1])
end
