-- flow.lua - operations of several requests, each made from the previous response, for wrk scripts.
--
-- A script ends with flow.run(first, next). first() returns an operation's first request; next(body, id) the request
-- after a response, or nil at the end. wrk does not tell the connection of a response, so the next request uses any free
-- one; its data is in the response, or known by the previous request's X-Request-Id, which the gateway repeats.
-- The output ends with "operations <n>", the number that reached an access token.
local flow = {
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
}
local thread_count = tonumber(os.getenv("BENCH_THREADS"))
local threads = {}

-- Returns the last text member of that name in a JSON response, or nil.
function flow.member(body, name)
    return body:match('.*"' .. name .. '":"([^"]*)"')
end

-- Makes a POST from a table of texts. id can be nil.
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

-- Makes the token request for a response with a session code, otherwise nil. tenant can be nil.
function flow.token(role, body, tenant)
    local code = flow.member(body, "sessionCode")
    return code and flow.post("/auth/tenant/" .. role .. "/login/token",
                              {sessionCode = code, codeVerifier = flow.verifier, tenantCode = tenant})
end

-- Returns this thread's lines of a file, each as a list of words.
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
