/* Registers people with better-auth, and prints its adapter's data as JSON. */
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";

const db = { user: [], session: [], account: [], verification: [] };
const auth = betterAuth({
    baseURL: "http://localhost",
    secret: "0123456789abcdef0123456789abcdef",
    database: memoryAdapter(db),
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
});

for (const { email, name, password } of JSON.parse(process.argv[2]))
    await auth.api.signUpEmail({ body: { email, name, password } });
console.log(JSON.stringify({ user: db.user, account: db.account }));
