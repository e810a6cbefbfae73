// saml_idp.mjs - a SAML identity provider with npm's samlp. It signs in whom the test names, without asking.
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:https';
import npm from '../support/npm.cjs';
import {freePort} from '../openid/port.mjs';

const samlp = npm('bridge')('samlp');

const ISSUER = 'https://idp.hospital.example/metadata';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

export function keyPair(work, name) {
  const [key, cert] = [`${work}/${name}.key`, `${work}/${name}.crt`];

  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', '-days', '2', '-subj', `/CN=${name}`,
                           '-keyout', key, '-out', cert], {stdio: 'ignore'});
  return {key: readFileSync(key), cert: readFileSync(cert)};
}

const attributes = person => ({
  'urn:oid:0.9.2342.19200300.100.1.3': person.mail,
  'urn:oid:2.16.840.1.113730.3.1.241': person.name,
  'urn:oid:2.5.4.42': person.givenName,
  'urn:oid:2.5.4.4': person.sn,
});

function profileMapper(person) {
  return {
    getClaims: () => attributes(person),
    getNameIdentifier: () => ({nameIdentifier: person.id, nameIdentifierFormat: PERSISTENT}),
  };
}
profileMapper.prototype.metadata = [];

const escape = text => text.replace(/[&"<]/g, c => `&#${c.charCodeAt(0)};`);

const page = (url, fields) => `<!doctype html><title>Identity provider</title>
  <form method="post" action="${escape(url)}">${Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`).join('')}</form>
  <script>document.forms[0].submit()</script>`;

export class SamlIdp {
  requests = []; // AuthnRequests: {id, forceAuthn, issuer, ...}
  answers = [];  // {url, fields}

  static async start(work) {
    const self = new SamlIdp(), port = await freePort();

    self.keys = keyPair(work, 'idp');
    self.base = `https://localhost:${port}`;
    self.server = createServer({key: readFileSync(`${work}/server.key`), cert: readFileSync(`${work}/server.crt`)},
                               (request, response) => self.serve(request, response).catch(error => {
                                 self.failure = error;
                                 response.writeHead(500).end(String(error));
                               }));
    await new Promise(done => self.server.listen(port, 'localhost', done));
    return self;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise(done => this.server.close(done));
  }

  metadata() {
    let text;

    samlp.metadata({issuer: ISSUER, cert: this.keys.cert, profileMapper, redirectEndpointPath: '/sso', postEndpointPath: '/sso'})(
      {headers: {host: new URL(this.base).host}, protocol: 'https', originalUrl: '/FederationMetadata/2007-06/FederationMetadata.xml'},
      {set() {}, send: value => { text = String(value); }});
    return text;
  }

  // person: {id, mail, ...}; options replace samlp's; change(xml, again) returns the response that is sent, where
  // again(person) makes another one.
  will(person, options = {}, change = xml => xml) {
    this.next = {person, options, change};
  }

  // The bridge's requests must be signed with the certificate of its metadata.
  read(request) {
    return new Promise((done, failed) =>
      samlp.parseRequest(request, {signingCert: this.bridgeCert}, (error, data) => error ? failed(error) : done(data)));
  }

  respond(person, asked, options) {
    return new Promise((done, failed) => samlp.getSamlResponse({
      ...this.keys, issuer: ISSUER, profileMapper, audience: asked.issuer, inResponseTo: asked.id, lifetimeInSeconds: 300,
      destination: this.consumer, recipient: this.consumer,
      signatureAlgorithm: 'rsa-sha256', digestAlgorithm: 'sha256', signResponse: false, ...options,
    }, person, (error, xml) => error ? failed(error) : done(String(xml))));
  }

  async serve(request, response) {
    const url = new URL(request.url, this.base);

    if (url.pathname !== '/sso')
      return response.writeHead(404).end();
    const asked = await this.read({method: 'GET', url: request.url, originalUrl: request.url, query: Object.fromEntries(url.searchParams)});
    const {person, options, change} = this.next;
    const again = (other, more) => this.respond(other, asked, {...options, ...more});
    const xml = await change(await this.respond(person, asked, options), again);
    const answer = {
      url: this.consumer,
      fields: {SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: url.searchParams.get('RelayState') ?? ''},
    };

    this.requests.push(asked);
    this.answers.push(answer);
    response.writeHead(200, {'content-type': 'text/html'}).end(page(answer.url, answer.fields));
  }
}

export {page};
