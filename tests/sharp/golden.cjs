// golden.cjs DIR - sharp's results for tests/integration/test_docd_image.c.
//
// Writes the inputs into DIR. Then, for each line "INPUT WIDTH HEIGHT FIT FORMAT" of standard input (0: no such side), prints the
// result's sides and the name of a file in DIR with its pixels, 8-bit RGBA, after encoding in that format with sharp's defaults.
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const sharp = require('../support/npm.cjs')('sharp')('sharp');

const dir = process.argv[2];
const file = (name) => path.join(dir, name);

// An image with distinguishable sides: color gradients, a grid of lines, a bright corner, a coarse texture.
function picture(width, height, channels) {
  const bytes = Buffer.alloc(width * height * channels);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const line = x % 40 < 3 || y % 56 < 4;
      const corner = x < width / 4 && y < height / 5;
      const wave = 24 * Math.sin(x / 9) * Math.cos(y / 13);
      const rgb = [(255 * x) / width, (255 * y) / height, 128 + 100 * Math.sin((x + 2 * y) / 60)];
      for (let c = 0; c < Math.min(channels, 3); c++) {
        const value = corner ? [250, 220, 40][c] : line ? 30 + 60 * c : rgb[c] + wave;
        bytes[i++] = Math.max(0, Math.min(255, Math.round(value)));
      }
      if (channels === 4) {
        const r = Math.hypot(x - width / 2, y - height / 2) / Math.min(width, height);
        bytes[i++] = r > 0.5 ? 0 : r > 0.3 ? 120 : 255;
      }
    }
  }
  return sharp(bytes, { raw: { width, height, channels } });
}

async function inputs() {
  await picture(640, 427, 3).jpeg({ quality: 92 }).toFile(file('photo.jpg'));
  await picture(1601, 1203, 3).jpeg({ quality: 92 }).toFile(file('large.jpg'));
  await picture(641, 428, 3).jpeg({ progressive: true }).toFile(file('progressive.jpg'));
  await picture(320, 213, 3).greyscale().toColourspace('b-w').jpeg().toFile(file('grey.jpg'));
  await picture(320, 213, 3).toColourspace('cmyk').jpeg({ quality: 95 }).toFile(file('cmyk.jpg'));
  await picture(320, 213, 3).withIccProfile('p3').jpeg({ quality: 95 }).toFile(file('p3.jpg'));
  await picture(1500, 21, 3).jpeg({ quality: 95 }).toFile(file('wide.jpg'));
  for (let orientation = 1; orientation <= 8; orientation++) {
    await picture(203, 130, 3).withMetadata({ orientation }).jpeg({ quality: 95 }).toFile(file(`turned${orientation}.jpg`));
  }
  await picture(320, 213, 3).png().toFile(file('plain.png'));
  await picture(321, 215, 4).png().toFile(file('alpha.png'));
  await picture(320, 213, 3).toColourspace('rgb16').png().toFile(file('deep.png'));
  await picture(320, 213, 4).toColourspace('rgb16').png().toFile(file('deep-alpha.png'));
  await picture(320, 213, 4).toColourspace('b-w').png().toFile(file('grey-alpha.png'));
  await picture(320, 213, 4).toColourspace('grey16').png().toFile(file('deep-grey.png'));
  await picture(320, 213, 4).withIccProfile('p3').png().toFile(file('p3-alpha.png'));
  await picture(320, 213, 3).png({ progressive: true }).toFile(file('interlaced.png'));
  await picture(320, 213, 3).png({ palette: true, colours: 16 }).toFile(file('palette.png'));
  await picture(7, 5, 4).png().toFile(file('tiny.png'));
  await picture(480, 320, 3).webp({ quality: 95 }).toFile(file('photo.webp'));
  await picture(321, 215, 4).webp({ lossless: true }).toFile(file('alpha.webp'));
  await picture(320, 213, 3).avif({ quality: 90, effort: 0 }).toFile(file('photo.avif'));
  await picture(320, 213, 4).avif({ quality: 90, effort: 0 }).toFile(file('alpha.avif'));
  await picture(120, 240, 4).raw().toBuffer({ resolveWithObject: true }).then(({ data }) =>
    sharp(data, { raw: { width: 120, height: 240, channels: 4, pageHeight: 80 } }).gif().toFile(file('animated.gif')));
}

async function golden(line, number) {
  const [input, width, height, fit, format] = line.split(' ');
  const { hasAlpha } = await sharp(file(input)).metadata();
  const encoded = await sharp(file(input))
    .autoOrient()
    .resize({
      width: Number(width) || null,
      height: Number(height) || null,
      fit,
      background: hasAlpha ? { r: 0, g: 0, b: 0, alpha: 0 } : 'white',
    })
    .toFormat(format)
    .toBuffer();
  const { data, info } = await sharp(encoded).toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const name = `golden${number}.rgba`;
  fs.writeFileSync(file(name), data);
  console.log(`${info.width} ${info.height} ${name}`);
}

(async () => {
  let number = 0;
  await inputs();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    await golden(line, number++);
  }
})();
