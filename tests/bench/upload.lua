-- Posts a file with each of the forms in turn, whose beginnings are in BENCH_FORMS as 1, 2 and so on.
local function read(name)
  local file = io.open(name, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

local heads, at = {}, 0
local file = read(os.getenv("BENCH_FILE"))
local headers = {["Content-Type"] = "multipart/form-data; boundary=bench"}

function init(args)
  for i = 1, 1000 do
    local head = read(os.getenv("BENCH_FORMS") .. "/" .. i)
    if not head then break end
    heads[i] = head
  end
  math.randomseed(os.time() + tonumber(tostring(heads):match("0x(%x+)"), 16) % 65536)
  at = math.random(#heads)
end

function request()
  at = at % #heads + 1
  return wrk.format("POST", "/storage/documents", headers, heads[at] .. file .. "\r\n--bench--\r\n")
end
