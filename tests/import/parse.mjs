/* Registers people with Parse Server, in the database "parse" of the server in the environment. */
import { ParseServer } from "parse-server";

const [port, people] = process.argv.slice(2);
const base = `http://127.0.0.1:${port}/parse`;
await ParseServer.startApp({
    appId: "import",
    masterKey: "0123456789abcdef",
    serverURL: base,
    port: Number(port),
    host: "127.0.0.1",
    databaseURI: `postgres://${process.env.PGUSER}@localhost:${process.env.PGPORT}/parse`,
    databaseOptions: { host: process.env.PGHOST },
    silent: true,
});
for (const { email, name, password } of JSON.parse(people)) {
    const answer = await fetch(`${base}/users`, {
        method: "POST",
        headers: { "X-Parse-Application-Id": "import", "Content-Type": "application/json" },
        body: JSON.stringify({ username: email, email, name, password }),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
}
process.exit(0);
