-- Signs in with a second factor in a loop: start, mfa with the current code, token. BENCH_PEOPLE has one patient per
-- line: role, tenant code, email address, refresh token, secret in hex. A code works once, so there must be more people
-- than sign-ins. liboath makes the codes, as in authd's check.
local ffi = require "ffi"
local flow = require "tests.bench.flow"
ffi.cdef "int oath_totp_generate(const char *, size_t, long, unsigned, long, unsigned, char *);"
local oath = ffi.load "oath"
local code = ffi.new "char[7]"
local people, at = nil, 0

local function totp(hex)
    local secret = hex:gsub("..", function(digits) return string.char(tonumber(digits, 16)) end)
    assert(oath.oath_totp_generate(secret, #secret, os.time(), 30, 0, 6, code) == 0)
    return ffi.string(code)
end

flow.run(function()
    people = people or flow.lines(os.getenv("BENCH_PEOPLE"))
    at = at + 1
    return flow.start("Patient", people[at][3], people[at][2], at)
end, function(body, id)
    local login = flow.member(body, "loginId")
    if login then
        return flow.post("/auth/tenant/Patient/login/mfa",
                         {loginId = login, mfaToken = totp(people[tonumber(id)][5])})
    end
    return flow.token("Patient", body)
end)
