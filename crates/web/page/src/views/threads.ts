// Families as threads: forks and sub-agents below the session they come from.

import type { SessionRow } from "../types.ts";

export interface Threaded {
  row: SessionRow;
  depth: number;
  /** How many sessions are below it. */
  below: number;
  /** The depths at which a line goes on to a later row of the same thread. */
  rails: readonly number[];
}

/** The rows in threads, each thread where its newest member stands; what is folded leaves its members out. */
export function threads(rows: readonly SessionRow[], folded: ReadonlySet<string>): Threaded[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const children = new Map<string, SessionRow[]>();
  for (const row of rows) {
    if (row.parentKey !== null && known.has(row.parentKey) && row.parentKey !== row.key) children.set(row.parentKey, [...(children.get(row.parentKey) ?? []), row]);
  }
  const placed = new Set<string>();
  const list: Threaded[] = [];
  const put = (row: SessionRow, rails: readonly number[], depth: number, isShown: boolean): number => {
    if (placed.has(row.key)) return 0;
    placed.add(row.key);
    const entry: Threaded = { row, depth, below: 0, rails };
    if (isShown) list.push(entry);
    const own = children.get(row.key) ?? [];
    own.forEach((child, n) => {
      const line = n < own.length - 1 ? [...rails, depth + 1] : rails;
      entry.below += 1 + put(child, line, depth + 1, isShown && !folded.has(row.key));
    });
    return entry.below;
  };
  const rootOf = (row: SessionRow): SessionRow => {
    let root = row;
    for (let n = 0; n < rows.length && root.parentKey !== null; n += 1) root = known.get(root.parentKey) ?? { ...root, parentKey: null };
    return known.get(root.key) ?? row;
  };
  for (const row of rows) put(rootOf(row), [], 0, true);
  return list;
}

export function flat(rows: readonly SessionRow[]): Threaded[] {
  return rows.map((row) => ({ row, depth: 0, below: 0, rails: [] }));
}
