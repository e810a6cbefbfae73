-- Executes a bot in a loop. BENCH_PATIENT is an access token.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_PATIENT")
wrk.body = '{"question":"How are you today?","answers":[1,0,3]}'
