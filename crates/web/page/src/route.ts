// The address carries the state: `#/session/KEY/lanes?leaf=12&e=40`. All of it stands behind the `#`, so that the
// same addresses work in a file, and a search never reaches a server's log. An entry is named by its place, `e`, or by
// its id, `id`: an id may be all digits.

export type View = "sessions" | "session" | "spend" | "stats";
export type Tab = "" | "lanes" | "tree" | "family" | "context" | "request";

export const TABS: readonly { tab: Tab; name: string; key: string }[] = [
  { tab: "", name: "Conversation", key: "1" },
  { tab: "lanes", name: "Lanes", key: "2" },
  { tab: "tree", name: "Graph", key: "3" },
  { tab: "family", name: "Family", key: "4" },
  { tab: "context", name: "Context", key: "5" },
  { tab: "request", name: "Requests", key: "6" },
];

export interface Route {
  view: View;
  key: string;
  tab: Tab;
  parameters: URLSearchParams;
  /** `#ID` or `#e12`: a link to an entry of the only session there is. */
  entry: string;
}

export function readRoute(hash: string): Route {
  const text = hash.replace(/^#/, "");
  if (text !== "" && !text.startsWith("/")) return { view: "session", key: "", tab: "", parameters: new URLSearchParams(), entry: safeDecode(text) };
  const [path = "", query = ""] = text.split(/\?(.*)/s);
  const [view, key, tab] = path.split("/").filter(Boolean).map(safeDecode);
  const parameters = new URLSearchParams(query);
  const known = TABS.find((each) => each.tab === tab)?.tab ?? "";
  if (view === "session" && key) return { view, key, tab: known, parameters, entry: "" };
  if (view === "spend" || view === "stats") return { view, key: "", tab: "", parameters, entry: "" };
  return { view: "sessions", key: "", tab: "", parameters, entry: "" };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Values = Record<string, string | number | null | undefined>;

function withValues(path: string, values: Values): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text ? `#/${path}?${text}` : `#/${path}`;
}

export function viewLink(view: View, values: Values = {}): string {
  return withValues(view === "sessions" ? "" : view, values);
}

export function sessionLink(key: string, tab: Tab = "", values: Values = {}): string {
  return withValues(`session/${encodeURIComponent(key)}${tab ? `/${tab}` : ""}`, values);
}

/** The route with some values changed; null removes one. */
export function changed(route: Route, values: Values): string {
  const all: Values = Object.fromEntries(route.parameters);
  return route.view === "session" ? sessionLink(route.key, route.tab, { ...all, ...values }) : viewLink(route.view, { ...all, ...values });
}

/** Goes to an address; `replace` does so without a step for the back button. */
export function go(link: string, replace = false): void {
  if (link === location.hash || (link === "#/" && location.hash === "")) return;
  if (replace) history.replaceState(null, "", link);
  else history.pushState(null, "", link);
  window.dispatchEvent(new Event("route"));
}

export function numberOf(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** The place of the entry that an address names. */
export function placeIn({ parameters }: Pick<Route, "parameters">): number | null {
  return parameters.has("id") ? null : numberOf(parameters.get("e"));
}

/** The id of the entry that an address names; empty if it names none, or one by its place. */
export function idIn({ parameters, entry }: Route): string {
  const named = parameters.get("id") || parameters.get("e") || entry;
  return placeIn({ parameters }) === null ? named : "";
}
