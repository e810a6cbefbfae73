// npm.cjs - npm(WORKSPACE): the require() of that directory of tests/ with its packages from `make npm` in build/npm: in its own
// node_modules where versions differ, otherwise in the shared one.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');

module.exports = (workspace) => {
    const from = createRequire(path.resolve(__dirname, '../../build/npm', workspace, 'package.json'));

    from.folder = (name) => from.resolve.paths(name).map((each) => path.join(each, name)).find((each) => fs.existsSync(each));
    from.import = (name) => import(pathToFileURL(from.resolve(name)));
    return from;
};
