// A small image as PNG, without a library: the screenshot that somebody sends to the model.

import { crc32, deflateSync } from "node:zlib";

const HIGHS = [14, 12, 15, 17, 13];
const LOWS = [6, 5, 7, 9, 4];

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Five days of weather as bars from the lowest to the highest temperature, in base64. */
export function chart(width = 480, height = 150) {
  const pixels = Buffer.alloc((width * 3 + 1) * height);
  const put = (x, y, color) => color.forEach((value, at) => pixels.writeUInt8(value, y * (width * 3 + 1) + 1 + x * 3 + at));
  const level = (degrees) => Math.round(height - 14 - degrees * ((height - 28) / 20));
  const step = width / HIGHS.length;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const day = Math.floor(x / step);
      const isBar = Math.abs(x - (day + 0.5) * step) < step * 0.28 && y >= level(HIGHS[day]) && y <= level(LOWS[day]);
      const isLine = [0, 5, 10, 15, 20].some((degrees) => level(degrees) === y);
      const warmth = Math.max(0, Math.min(1, (level(0) - y) / (level(0) - level(20))));
      put(x, y, isBar ? [Math.round(70 + 175 * warmth), Math.round(130 + 20 * warmth), Math.round(215 - 150 * warmth)] : isLine ? [58, 64, 72] : [24, 27, 31]);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk("IHDR", head), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]).toString("base64");
}
