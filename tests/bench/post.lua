-- Sends BENCH_BODY (default: nothing) as JSON by POST, the same each time.
wrk.method = "POST"
wrk.body = os.getenv("BENCH_BODY") or ""
wrk.headers["Content-Type"] = "application/json"
