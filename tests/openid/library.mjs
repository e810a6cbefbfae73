// library.mjs - a package of build/openid, where `make openid` puts it.
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const root = `${process.cwd()}/build/openid`;
const {resolve} = createRequire(`${root}/package.json`);

export const library = name => import(pathToFileURL(resolve(name)));
export const folder = name => `${root}/node_modules/${name}`;
