// bridge.mjs - LemonLDAP::NG as deploy/bridge/README.md installs it, with other names, ports and directories.
import {execFileSync} from 'node:child_process';
import {accessSync, chownSync, constants, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {freePort} from '../openid/port.mjs';
import {start, user} from './server.mjs';

const RECIPE = new URL('../../deploy/bridge/', import.meta.url).pathname;
export const SAML_SECONDS = 8; // instead of saml.json's 120; LemonLDAP::NG's two timeouts of 120 s must not be longer
const DEBIAN = '/var/lib/lemonldap-ng/conf/lmConf-1.json'; // for www-data and root only

function make(path) {
  mkdirSync(path, {recursive: true});
  if (user.uid !== undefined)
    chownSync(path, user.uid, user.gid);
  return path;
}

function write(path, text) {
  writeFileSync(path, text, {mode: 0o600});
  if (user.uid !== undefined)
    chownSync(path, user.uid, user.gid);
}

const ini = dir => `
[all]
logLevel = info
[configuration]
type = File
dirName = ${dir}/conf
localStorage = Cache::FileCache
localStorageOptions = {'namespace' => 'config', 'cache_root' => '${dir}/cache', 'directory_umask' => '007'}
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
[handler]
[manager]
templateDir = /usr/share/lemonldap-ng/manager/htdocs/templates
`;

const short = Object.fromEntries(
  ['timeout', 'portalForceAuthnInterval', 'formTimeout', 'issuersTimeout'].map(name => [name, SAML_SECONDS]));

// Merged without -safe, which refuses an address as the cookies' domain, and short timeouts.
const changes = (dir, kind) => JSON.stringify({
  domain: '127.0.0.1',
  ...(kind === 'saml' ? short : {}),
  globalStorageOptions: {Directory: make(`${dir}/sessions`), LockDirectory: make(`${dir}/sessions/lock`)},
  persistentStorage: 'Apache::Session::File',
  persistentStorageOptions: {Directory: make(`${dir}/psessions`), LockDirectory: make(`${dir}/psessions/lock`)},
  localSessionStorageOptions: {cache_root: make(`${dir}/cache`)},
});

function defaults() {
  try {
    accessSync(DEBIAN, constants.R_OK);
    return readFileSync(DEBIAN, 'utf8');
  } catch {
    return '{"cfgNum": 1}';
  }
}

export class Bridge {
  // kind: ldap or saml, the recipe's file. names: [of the recipe, of the test].
  static async start(work, kind, names, metadata) {
    const self = new Bridge(), dir = self.dir = make(`${work}/${kind}`), port = await freePort();

    self.issuer = `https://127.0.0.1:${port}`;
    self.names = [
      ['https://sso.hospital.example', self.issuer],
      ['"sso.hospital.example": {', '"127.0.0.1": {'],
      ['/etc/ssl/certs/ca-certificates.crt', `${work}/ca.crt`],
      ['unix:/run/llng-fastcgi-server/llng-fastcgi.sock', `unix:${dir}/fastcgi.sock`],
      ['listen 443', `listen 127.0.0.1:${port}`],
      ['/etc/ssl/bridge.crt', `${work}/server.crt`],
      ['/etc/ssl/private/bridge.key', `${work}/server.key`],
      ...names,
    ];
    self.env = {
      LLNG_DEFAULTCONFFILE: `${dir}/lemonldap-ng.ini`,
      LLNG_DEFAULTLOGGER: 'Lemonldap::NG::Common::Logger::Std',
    };
    self.configure(kind, metadata);
    await self.serve(port);
    return self;
  }

  recipe(file) {
    return this.names.reduce((text, [from, to]) => text.replaceAll(from, to), readFileSync(RECIPE + file, 'utf8'));
  }

  configure(kind, metadata) {
    const {dir} = this, files = ['openid.json', `${kind}.json`, 'secrets.json'];

    write(`${dir}/lemonldap-ng.ini`, ini(dir));
    write(`${make(`${dir}/conf`)}/lmConf-1.json`, defaults());
    for (const file of files.slice(0, 2))
      write(`${dir}/${file}`, this.recipe(file));
    if (metadata)
      write(`${dir}/metadata.xml`, metadata);
    write(`${dir}/secrets.json`,
          execFileSync(`${RECIPE}secrets.sh`, metadata ? [`${dir}/metadata.xml`] : [], {encoding: 'utf8'}));
    write(`${dir}/changes.json`, changes(dir, kind));
    this.secret = JSON.parse(readFileSync(`${dir}/secrets.json`)).oidcRPMetaDataOptions.atrium.oidcRPMetaDataOptionsClientSecret;
    this.merge(files, '-safe', '1');
    this.merge(['changes.json']);
  }

  merge(files, ...options) {
    execFileSync('/usr/share/lemonldap-ng/bin/lemonldap-ng-cli',
                 ['-yes', '1', ...options, 'merge', ...files.map(file => `${this.dir}/${file}`)],
                 {env: {...process.env, ...this.env}, stdio: ['ignore', 'pipe', 'pipe'], ...user});
  }

  async serve(port) {
    const {dir} = this, temporary = make(`${dir}/nginx`);

    write(`${dir}/nginx.conf`, `
      daemon off; worker_processes 1; pid ${dir}/nginx.pid; error_log stderr;
      events {}
      http {
        include /etc/nginx/mime.types; access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(kind => `${kind}_temp_path ${temporary}/${kind};`).join(' ')}
        ${this.recipe('nginx.conf')}
      }`);
    await start(['/usr/sbin/llng-fastcgi-server', '--foreground', '--proc', '2', '--pid', `${dir}/fastcgi.pid`,
                 '--socket', `${dir}/fastcgi.sock`],
                {where: {path: `${dir}/fastcgi.sock`}, log: this.log = `${dir}/bridge.log`, env: this.env});
    await start(['/usr/sbin/nginx', '-c', `${dir}/nginx.conf`, '-e', 'stderr'],
                {where: {port, host: '127.0.0.1'}, log: `${dir}/nginx.log`});
  }
}
