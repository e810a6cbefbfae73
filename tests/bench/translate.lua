-- Requests translations of twenty new sentences at a time. BENCH_PATIENT is an access token.
local threads, made = 0, 0
local headers = {["Content-Type"] = "application/json", Authorization = "Bearer " .. os.getenv("BENCH_PATIENT")}

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

function request()
    local texts = {}
    for i = 1, 20 do
        made = made + 1
        texts[i] = string.format('"The patient of room %d%d%06d should take two of the red pills every day."',
                                 thread_number, os.time(), made)
    end
    return wrk.format("POST", "/ai/translation", headers,
                      '{"sourceLanguage":"en","targetLanguage":"es","text":[' .. table.concat(texts, ",") .. "]}")
end
