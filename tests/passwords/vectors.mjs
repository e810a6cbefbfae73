// vectors.mjs - prints hashes of argon2, bcryptjs, hash-wasm and firebase-scrypt, a line `maker, password in hex, hash` each,
// separated by tabs. See make.sh.
import argon2 from 'argon2';
import bcrypt from 'bcryptjs';
import { FirebaseScrypt } from 'firebase-scrypt';
import * as wasm from 'hash-wasm';
import { createHash } from 'node:crypto';

const passwords = ['correct horse', 'pässwörd', 'pa\u0308sswo\u0308rd', ' \u00a0\u3000', '密码🔑', '"$\\%s\'', 'x'.repeat(71),
  'x'.repeat(72) + 'tail', 'ab'.repeat(100), 'ÿÿ£'];
// The salts are the same in each run.
const salt = (size, of) => createHash('sha512').update(of).digest().subarray(0, size);
const b64 = (bytes) => Buffer.from(bytes).toString('base64');
const plain = (bytes) => b64(bytes).replace(/=+$/, '');
const print = (maker, password, hash) =>
  console.log(`${maker}\t${Buffer.from(password).toString('hex')}\t${hash}`);

for (const password of passwords) {
  const text = bcrypt.encodeBase64(salt(16, password), 16);
  for (const version of ['2a', '2b', '2y'])
    print('bcryptjs', password, bcrypt.hashSync(password, `$${version}$04$${text}`));
  if (Buffer.byteLength(password) <= 72)
    print('hash-wasm', password, await wasm.bcrypt({ password, salt: salt(16, password), costFactor: 5, outputType: 'encoded' }));
  for (const hash of [wasm.argon2d, wasm.argon2i, wasm.argon2id])
    for (const [parallelism, memorySize, iterations, hashLength] of [[1, 64, 1, 32], [4, 128, 3, 16], [2, 256, 2, 64]])
      print('hash-wasm', password, await hash({ password, salt: salt(8 + 4 * parallelism, password), parallelism, memorySize,
        iterations, hashLength, outputType: 'encoded' }));
  for (const type of [argon2.argon2d, argon2.argon2i, argon2.argon2id])
    for (const [version, parallelism, memoryCost, timeCost, hashLength] of [[19, 1, 64, 2, 32], [19, 4, 256, 3, 48], [16, 2, 128, 2, 20]])
      print('argon2', password, await argon2.hash(password, { type, version, parallelism, memoryCost, timeCost, hashLength,
        salt: salt(12 + parallelism, password) }));
  for (const [ln, r, p] of [[4, 8, 1], [5, 1, 3], [1, 8, 16]]) {
    const bytes = salt(16, password);
    const hash = await wasm.scrypt({ password, salt: bytes, costFactor: 2 ** ln, blockSize: r, parallelism: p,
      hashLength: 32, outputType: 'binary' });
    print('hash-wasm', password, `$scrypt$ln=${ln},r=${r},p=${p}$${plain(bytes)}$${plain(hash)}`);
  }
  for (const [name, create] of [['sha1', wasm.createSHA1], ['sha256', wasm.createSHA256], ['sha512', wasm.createSHA512]])
    for (const [iterations, hashLength] of [[1, 16], [100, 32], [50, 64]]) {
      const bytes = salt(16, password);
      const hash = await wasm.pbkdf2({ password, salt: bytes, iterations, hashLength, hashFunction: create(), outputType: 'binary' });
      // With padding, as Keycloak exports it, and without.
      print('hash-wasm', password, `$pbkdf2-${name}$i=${iterations}$${b64(bytes)}$${b64(hash)}`);
      print('hash-wasm', password, `$pbkdf2-${name}$i=${iterations},l=${hashLength}$${plain(bytes)}$${plain(hash)}`);
    }
  const parameters = { memCost: 4, rounds: 8, saltSeparator: 'Bw==', signerKey: b64(salt(64, 'signer key')) };
  const salted = b64(salt(10, password));
  print('firebase-scrypt', password, `$fbscrypt$v=1,n=${parameters.memCost},r=${parameters.rounds},p=1,` +
    `ss=${parameters.saltSeparator},sk=${parameters.signerKey}$${salted}$` +
    await new FirebaseScrypt(parameters).hash(password, salted));
}
// The example of github.com/firebase/scrypt, with a memory cost of 14.
print('firebase', 'user1password', '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMX' +
  'An210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjT' +
  'dn3aoItz+VHjoZilo78198JAdRuid5lQ==');
