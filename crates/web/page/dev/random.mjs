// Small helpers of the mock's data: numbers that are random but the same in every run.

/** A generator of numbers from 0 to 1 that depends on nothing but its seed. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One of the values of a list. */
export function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}

/** A number in hex digits that looks like a hash. */
export function hex(number, digits) {
  let value = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  let text = "";
  while (text.length < digits) {
    value = Math.imul(value ^ (value >>> 13), 0x85ebca6b) >>> 0;
    text += value.toString(16).padStart(8, "0");
  }
  return text.slice(0, digits);
}
