// totp.cjs - the current code (RFC 6238) of a base32 key from a page.
const { createHmac } = require('node:crypto');

exports.totp = (key) => {
    const bits = [...key.replaceAll(' ', '')].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
    const counter = Buffer.alloc(8);

    counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)));
    const mac = createHmac('sha1', Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)))).update(counter).digest();
    return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1000000).padStart(6, '0');
};
