-- Searches for the lines of BENCH_SEARCHES in turn.
local searches, at = {}, 0
for line in io.lines(os.getenv("BENCH_SEARCHES")) do
    searches[#searches + 1] = "/cms/article/map/en?" .. line
end

function init(args)
    math.randomseed(os.time() + tonumber(tostring(searches):match("0x(%x+)"), 16) % 65536)
    at = math.random(#searches)
end

function request()
    at = at % #searches + 1
    return wrk.format("GET", searches[at])
end
