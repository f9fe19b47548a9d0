// The heights of rows, compared with sums that are made the slow way. No page is needed.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import esbuild from "esbuild";

import { randomFrom } from "../dev/random.mjs";

const SOURCE = fileURLToPath(new URL("../src/heights.ts", import.meta.url));

async function heightsClass() {
  const { outputFiles } = await esbuild.build({ entryPoints: [SOURCE], bundle: true, format: "esm", write: false });
  return (await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)).Heights;
}

/** The last row that begins at this distance or before. */
function slowAt(heights, distance) {
  let above = 0;
  let found = 0;
  heights.forEach((height, place) => {
    if (above <= distance) found = place;
    above += height;
  });
  return found;
}

export default [
  { name: "heights: sums and places are those of a plain list", mockOnly: true, run: async () => {
    const Heights = await heightsClass();
    const random = randomFrom(20_261_119);
    const number = (below) => Math.floor(random() * below);
    for (let round = 0; round < 200; round += 1) {
      const count = number(round < 20 ? 4 : 70);
      // Rows that are shown with others have no height.
      const plain = Array.from({ length: count }, () => (number(3) === 0 ? 0 : number(300)));
      const heights = new Heights(Float64Array.from(plain));
      for (let step = 0; step < 30; step += 1) {
        if (count > 0) {
          const place = number(count);
          plain[place] = number(3) === 0 ? 0 : number(300);
          heights.set(place, plain[place]);
          assert.equal(heights.height(place), plain[place]);
        }
        const sum = (end) => plain.slice(0, end).reduce((sum, height) => sum + height, 0);
        const end = number(count + 1);
        assert.equal(heights.above(end), sum(end), `above ${end} of ${plain}`);
        assert.equal(heights.total, sum(count));
        for (const distance of [-5, 0, sum(end), sum(end) - 1, number(20_000)]) {
          assert.equal(heights.at(distance), slowAt(plain, distance), `at ${distance} of ${plain}`);
        }
      }
    }
  } },
];
