// port.mjs - finds a free port of the loopback interface.
import {createServer} from 'node:net';

export const freePort = () => new Promise(done => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const {port} = server.address();

    server.close(() => done(port));
  });
});
