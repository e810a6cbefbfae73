-- Sends BENCH_BODY (default: nothing) by POST, the same each time; BENCH_TYPE (default: JSON) is its type.
wrk.method = "POST"
wrk.body = os.getenv("BENCH_BODY") or ""
wrk.headers["Content-Type"] = os.getenv("BENCH_TYPE") or "application/json"
