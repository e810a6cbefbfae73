-- Requests each document of BENCH_IMAGES once in a size that no other request used, so there must be more documents than
-- requests.
local flow = require "tests.bench.flow"
local threads, images, at = 0, nil, 0

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

function request()
    images = images or flow.lines(os.getenv("BENCH_IMAGES"))
    at = at + 1
    return wrk.format("GET", "/document/" .. images[at][1] .. "?width=300&height=200")
end
