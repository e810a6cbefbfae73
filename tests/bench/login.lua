-- Signs in for ever: a start, and for each code that came back a token request.
local challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
local verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
local codes = {}
local start

function init(args)
    start = '{"email":"' .. os.getenv("BENCH_EMAIL") .. '","password":"' .. os.getenv("BENCH_PASSWORD") ..
            '","tenantCode":"demo","codeChallenge":"' .. challenge .. '"}'
end

function request()
    local code = table.remove(codes)
    if code then
        return wrk.format("POST", "/auth/tenant/Patient/login/token", {["Content-Type"] = "application/json"},
                          '{"sessionCode":"' .. code .. '","codeVerifier":"' .. verifier .. '"}')
    end
    return wrk.format("POST", "/auth/tenant/Patient/login/start", {["Content-Type"] = "application/json"}, start)
end

function response(status, headers, body)
    local code = body:match('"sessionCode":"([^"]*)"')
    if code then
        codes[#codes + 1] = code
    end
end
