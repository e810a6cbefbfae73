// directory.mjs - slapd with two people and the bridge's account.
import {execFileSync} from 'node:child_process';
import {chmodSync, chownSync, mkdirSync, writeFileSync} from 'node:fs';
import {freePort} from '../openid/port.mjs';
import {start, user} from './server.mjs';

const BASE = 'dc=hospital,dc=example';
const ADMIN = `cn=admin,${BASE}`, ADMIN_PASSWORD = 'admin of the test';

export const SERVICE_PASSWORD = 'password-of-the-bridge';
export const people = {
  anna: {password: 'first long password', mail: 'anna@hospital.example', givenName: 'Anna', sn: 'Ärztin'},
  bert: {password: 'second long password', mail: 'bert@hospital.example', givenName: 'Bert', sn: 'Brown'},
};
export const dn = uid => `uid=${uid},ou=people,${BASE}`;

const configuration = (dir, tls) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${dir}/slapd.pid
TLSCertificateFile ${tls}/server.crt
TLSCertificateKeyFile ${tls}/server.key
database mdb
suffix ${BASE}
directory ${dir}/data
rootdn ${ADMIN}
rootpw "${ADMIN_PASSWORD}"
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=bridge,${BASE}" read by * none
`;

// As LDIF: Ä is UTF-8, which needs base64.
const entry = (name, attributes) => [`dn: ${name}`, ...Object.entries(attributes).flatMap(
  ([key, values]) => [values].flat().map(value => `${key}:: ${Buffer.from(value).toString('base64')}`))].join('\n');

const person = ([uid, {password, ...names}]) => entry(dn(uid), {
  objectClass: 'inetOrgPerson', uid, cn: `${names.givenName} ${names.sn}`, userPassword: password, ...names});

export class Directory {
  static async start(work) {
    const self = new Directory(), dir = `${work}/slapd`, port = await freePort();

    mkdirSync(`${dir}/data`, {recursive: true});
    writeFileSync(`${dir}/slapd.conf`, configuration(dir, work));
    for (const each of user.uid === undefined ? [] : [dir, `${dir}/data`])
      chownSync(each, user.uid, user.gid);
    chmodSync(dir, 0o755);
    self.url = `ldaps://127.0.0.1:${port}`;
    self.env = {LDAPTLS_CACERT: `${work}/ca.crt`};
    // -d keeps slapd in the foreground.
    await start(['/usr/sbin/slapd', '-d', 'none', '-f', `${dir}/slapd.conf`, '-h', self.url],
                {where: {port, host: '127.0.0.1'}, log: `${work}/slapd.log`});
    self.run('ldapadd', [], [
      entry(BASE, {objectClass: ['dcObject', 'organization'], dc: 'hospital', o: 'Hospital'}),
      entry(`ou=people,${BASE}`, {objectClass: 'organizationalUnit', ou: 'people'}),
      entry(`cn=bridge,${BASE}`, {
        objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'bridge', userPassword: SERVICE_PASSWORD}),
      ...Object.entries(people).map(person),
    ].join('\n\n'));
    return self;
  }

  // Runs a program of ldap-utils as the directory's administrator.
  run(program, options, input = '') {
    return execFileSync(
      program, ['-x', '-H', this.url, '-D', ADMIN, '-w', ADMIN_PASSWORD, ...options],
      {input, encoding: 'utf8', env: {...process.env, ...this.env}, stdio: ['pipe', 'pipe', 'inherit']});
  }

  attribute(uid, name) {
    return this.run('ldapsearch', ['-LLL', '-s', 'base', '-b', dn(uid), name]).match(new RegExp(`^${name}: (.*)$`, 'm'))[1];
  }
}
