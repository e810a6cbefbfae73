-- Translates one sentence in a loop, which is remembered after the first time. BENCH_PATIENT is an access token.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_PATIENT")
wrk.body = '{"sourceLanguage":"en","targetLanguage":"es","text":["You should take two of the red pills every day."]}'
