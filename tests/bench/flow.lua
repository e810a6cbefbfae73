-- flow.lua - what the scripts of wrk share: operations of several requests, each made of the answer before it.
--
-- A script ends with flow.run(first, next). first() is the first request of a new operation; next(body, id) the
-- request that follows an answer, or nil when there is none. wrk does not say on which connection an answer came, so
-- the next request goes out on whichever is free, and what it needs is in the answer or known by the id that
-- the request before it carried (X-Request-Id, which the gateway repeats).
-- The output ends with "operations <n>": those that came to an access token.
local flow = {
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
}
local thread_count = tonumber(os.getenv("BENCH_THREADS"))
local threads = {}

-- A text member of a JSON answer, the last of that name; nil when there is none.
function flow.member(body, name)
    return body:match('.*"' .. name .. '":"([^"]*)"')
end

-- A POST of a table of texts. id may be nil.
function flow.post(path, members, id)
    local body = {}
    for name, value in pairs(members) do
        body[#body + 1] = '"' .. name .. '":"' .. value .. '"'
    end
    return wrk.format("POST", path, {["Content-Type"] = "application/json", ["X-Request-Id"] = id},
                      "{" .. table.concat(body, ",") .. "}")
end

function flow.start(role, email, tenant, id)
    return flow.post("/auth/tenant/" .. role .. "/login/start",
                     {email = email, password = os.getenv("BENCH_PASSWORD"), tenantCode = tenant,
                      codeChallenge = flow.challenge}, id)
end

-- The token request of an answer with a session code, else nil. tenant may be nil.
function flow.token(role, body, tenant)
    local code = flow.member(body, "sessionCode")
    return code and flow.post("/auth/tenant/" .. role .. "/login/token",
                              {sessionCode = code, codeVerifier = flow.verifier, tenantCode = tenant})
end

-- The lines of a file that are this thread's, each as a list of its words.
function flow.lines(path)
    local mine, line_number = {}, 0
    for line in io.lines(path) do
        if line_number % thread_count == thread_number then
            local words = {}
            for word in line:gmatch("%S+") do
                words[#words + 1] = word
            end
            mine[#mine + 1] = words
        end
        line_number = line_number + 1
    end
    return mine
end

function flow.run(first, next)
    local waiting = {}

    function setup(thread)
        thread:set("thread_number", #threads)
        threads[#threads + 1] = thread
    end

    function init()
        operations = 0
    end

    function request()
        return table.remove(waiting) or first()
    end

    function response(_, headers, body)
        if body:find('"access_?[tT]oken":') then
            operations = operations + 1
        end
        waiting[#waiting + 1] = next(body, headers["X-Request-Id"])
    end

    function done()
        local sum = 0
        for _, thread in ipairs(threads) do
            sum = sum + thread:get("operations")
        end
        print("operations " .. sum)
    end
end

return flow
