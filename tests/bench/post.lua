-- Posts BENCH_BODY (default: empty) with the content type BENCH_TYPE (default: JSON).
wrk.method = "POST"
wrk.body = os.getenv("BENCH_BODY") or ""
wrk.headers["Content-Type"] = os.getenv("BENCH_TYPE") or "application/json"
