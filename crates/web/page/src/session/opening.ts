// Which part of a session an address opens.

import { numberOf, placeIn, type Route } from "../route.ts";
import type { OpeningPart } from "../source/source.ts";
import { FILTERS } from "../types.ts";

/** Rows are asked for in groups of this size. */
export const CHUNK = 50;

export function openingPart(route: Pick<Route, "parameters">): OpeningPart {
  const filter = FILTERS.find((each) => each === route.parameters.get("filter")) ?? "all";
  return { leaf: numberOf(route.parameters.get("leaf")), filter, at: placeIn(route), count: CHUNK };
}
