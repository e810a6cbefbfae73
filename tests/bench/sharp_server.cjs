// sharp_server.cjs FILE - a minimal server whose every response is that image resized to 300x200 by sharp, for `make bench`.
// Prints its port. It caches nothing, and decodes on all cores.
'use strict';
const http = require('http');
const os = require('os');
process.env.UV_THREADPOOL_SIZE = String(os.cpus().length);
const sharp = require('../support/npm.cjs')('sharp')('sharp');

sharp.cache(false);
sharp.concurrency(1);
http.createServer((request, response) => {
  sharp(process.argv[2]).rotate().resize(300, 200, { fit: 'cover' }).jpeg().toBuffer().then(
    (bytes) => response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length }).end(bytes),
    () => response.writeHead(500).end());
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
