// library.mjs - a package of build/openid, where `make openid` puts it.
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const {resolve} = createRequire(`${process.cwd()}/build/openid/package.json`);

export const library = name => import(pathToFileURL(resolve(name)));
