// npm.cjs - npm(WORKSPACE): the require() of that folder of tests/, with the packages that `make npm` installs for it in
// build/npm: in its own node_modules where versions differ, else in the one that all share.
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
