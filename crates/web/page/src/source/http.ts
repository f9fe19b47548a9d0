// Asks the server of `pitree serve`.

import { TABS } from "../route.ts";
import type { ChangeEvent, Deleted, FamilyMember, Filter, Lane, Mark, Project, Row, SessionFacts, SessionPage, SessionQuery, SpendQuery } from "../types.ts";
import { fromRuns, SourceError, whole, type Source } from "./source.ts";

type Parameters = Record<string, string | number | boolean | null | undefined>;

function address(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `api/${path}?${text}` : `api/${path}`;
}

/** Each start of the server has a token of its own. */
const MOVED = "`pitree serve` was started again, so the address of this page has changed. Open the address that it printed.";

async function answer<T>(response: Response): Promise<T> {
  const value: unknown = await response.json().catch(() => null);
  if (response.ok && value !== null) return value as T;
  if (response.status === 401) throw new SourceError(MOVED);
  const told = value as { error?: string } | null;
  throw new SourceError(told?.error ?? `The server answered ${response.status}.`);
}

async function ask<T>(address: string, more?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, more);
  } catch {
    throw new SourceError("The server does not answer.", "Is `pitree serve` still running?");
  }
  return answer<T>(response);
}

function get<T>(path: string, parameters?: Parameters): Promise<T> {
  return ask<T>(address(path, parameters));
}

function post<T = unknown>(path: string, body: unknown): Promise<T> {
  return ask<T>(`api/${path}`, { method: "POST", headers: { "Content-Type": "application/json", "X-Pitree": "1" }, body: JSON.stringify(body) });
}

/** Milliseconds until a connection is opened again that the browser gave up. */
const REOPEN = 5000;
/** How often the page looks whether it slept, and for how long at least: a connection may not survive that. */
const PULSE = 10_000;
const ASLEEP = 180_000;

/** What happened while nobody was connected is not sent again, so anything may have changed then. */
function listen(changed: (event: ChangeEvent) => void, ended: (why: string) => void): () => void {
  let events: EventSource;
  let reopening = 0;
  let hasMissed = false;
  let last = Date.now();
  const open = (): void => {
    events = new EventSource("api/events");
    events.onopen = () => {
      if (hasMissed) changed({ changed: [], list: true, all: true });
      hasMissed = false;
    };
    events.onmessage = (message) => {
      const { changed: keys = [], list = false, all = false } = JSON.parse(String(message.data)) as Partial<ChangeEvent>;
      changed({ changed: keys, list, all });
    };
    events.onerror = () => {
      hasMissed = true;
      if (events.readyState === EventSource.CLOSED) void reopen();
    };
  };
  /** It was refused, for now or, by a server that was started again, for ever. */
  const reopen = async (): Promise<void> => {
    const status = await fetch("api/projects").then((response) => response.status, () => 0);
    if (status !== 401) reopening = window.setTimeout(open, REOPEN);
    else {
      clearInterval(pulse);
      ended(MOVED);
    }
  };
  const close = (): void => {
    clearTimeout(reopening);
    events.close();
  };
  const pulse = setInterval(() => {
    const slept = Date.now() - last;
    last = Date.now();
    if (slept < ASLEEP) return;
    hasMissed = true;
    close();
    open();
  }, PULSE);
  open();
  return () => {
    clearInterval(pulse);
    close();
  };
}

export function httpSource(): Source {
  // The server says with each session and list whether changes are allowed.
  let canEdit = false;
  const of = (key: string, what: string): string => `sessions/${encodeURIComponent(key)}${what}`;
  return {
    hasList: true,
    onlyKey: "",
    tabs: new Set(TABS.map(({ tab }) => tab)),
    get canEdit() {
      return canEdit;
    },
    sessions: async (query: SessionQuery) => {
      const page = await get<SessionPage>("sessions", { ...query });
      if (page.canEdit !== undefined) canEdit = page.canEdit;
      return page;
    },
    projects: async () => (await get<{ projects: Project[] }>("projects")).projects,
    session: async (key) => {
      const facts = await get<SessionFacts>(of(key, ""));
      if (facts.canEdit !== undefined) canEdit = facts.canEdit;
      return facts;
    },
    lanes: async (key, from, count) => (await get<{ lanes: Lane[] }>(of(key, "/lanes"), { from, count })).lanes,
    family: async (key) => (await get<{ members: FamilyMember[] }>(of(key, "/family"))).members,
    marks: async (key) => (await get<{ marks: Mark[] }>(of(key, "/marks"))).marks,
    path: async (key, leaf, filter: Filter) => {
      const path = await get<{ ats?: number[]; runs?: [number, number][] }>(of(key, "/path"), { leaf, filter });
      return path.runs ? fromRuns(path.runs) : Int32Array.from(path.ats ?? []);
    },
    rows: async (key, { leaf, filter, from, count, brief = false }) => {
      const page = await get<{ rows: Partial<Row>[] }>(of(key, "/rows"), { leaf, filter, from, count, brief: brief ? 1 : null });
      return page.rows.map(whole);
    },
    tree: (key, { from, count, filter, at }) => get(of(key, "/tree"), { from, count, filter, at }),
    find: (key, q) => get(of(key, "/find"), { q }),
    context: (key, at) => get(of(key, "/context"), { at }),
    requestsHere: "",
    request: (key, at, from) => get(of(key, "/request"), { at, from }),
    spend: (query: SpendQuery) => get("spend", { ...query }),
    stats: () => get("stats"),
    listen,
    rename: (key, name) => post<void>(of(key, "/name"), { name }),
    label: (key, at, label) => post<void>(of(key, "/label"), { at, label }),
    goTo: (key, at) => post<void>(of(key, "/goto"), { at }),
    deletion: (key) => get(of(key, "/deletion")),
    remove: (key, family) => post<Deleted>(of(key, "/delete"), { family }),
    leafOf: async (key, at) => (await get<{ leaf: number | null }>(of(key, "/locate"), { at })).leaf,
    resolve: async (key, id) => {
      const line = /^line-(\d+)$/.exec(id);
      try {
        return (await get<{ at: number }>(of(key, "/locate"), line ? { line: line[1] } : { id })).at;
      } catch {
        return -1;
      }
    },
    entry: async (key, at) => whole(await get<Partial<Row>>(of(key, "/entry"), { at })),
  };
}
