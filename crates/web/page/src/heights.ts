// The heights of the rows of a list, and where each begins. They are summed in a binary indexed tree: a row that turns
// out higher than was thought costs a few additions, in a list of 100,000 rows too.

export class Heights {
  private readonly heights: Float64Array;
  /** `sums[n]` is the sum of the last `n & -n` heights before place `n`. */
  private readonly sums: Float64Array;

  constructor(heights: Float64Array) {
    this.heights = heights;
    this.sums = new Float64Array(heights.length + 1);
    for (let n = 1; n <= heights.length; n += 1) {
      this.sums[n] = (this.sums[n] ?? 0) + (heights[n - 1] ?? 0);
      const above = n + (n & -n);
      if (above <= heights.length) this.sums[above] = (this.sums[above] ?? 0) + (this.sums[n] ?? 0);
    }
  }

  get count(): number {
    return this.heights.length;
  }

  get total(): number {
    return this.above(this.count);
  }

  height(place: number): number {
    return this.heights[place] ?? 0;
  }

  /** What all rows before a place take together. */
  above(place: number): number {
    let sum = 0;
    for (let n = Math.min(place, this.count); n > 0; n -= n & -n) sum += this.sums[n] ?? 0;
    return sum;
  }

  set(place: number, height: number): void {
    const more = height - this.height(place);
    this.heights[place] = height;
    for (let n = place + 1; n <= this.count; n += n & -n) this.sums[n] = (this.sums[n] ?? 0) + more;
  }

  /** The row at a distance from the top: the last one that begins there or before; the last of all below the end. */
  at(distance: number): number {
    let place = 0;
    let left = distance;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const sum = this.sums[place + step];
      if (place + step > this.count || sum === undefined || sum > left) continue;
      place += step;
      left -= sum;
    }
    return Math.max(0, Math.min(place, this.count - 1));
  }
}
