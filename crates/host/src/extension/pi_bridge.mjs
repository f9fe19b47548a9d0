// Runs an extension of the TypeScript Pi as an extension process of pitree: it loads the module,
// collects its handlers for session events, and passes events and answers on as lines of JSON.
// The extension gets a session manager that reads the session's file. What needs an agent or a
// screen does nothing here.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const file = process.argv[1];
const handlers = new Map();
const send = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const complain = (text) => process.stderr.write(`${text}\n`);
// The lines belong to the protocol; what an extension prints goes where people look.
console.log = console.info = console.debug = (...parts) => console.error(...parts);

// What an extension does on its own time must not end the others' session with it.
for (const name of ["uncaughtException", "unhandledRejection"]) {
	process.on(name, (error) => complain(String(error?.message ?? error)));
}

/** A session as its file stands, for reading. */
class SessionView {
	constructor({ id, file, cwd, leafId }) {
		Object.assign(this, { id, file, cwd, leafId });
	}
	lines() {
		if (this.parsed) return this.parsed;
		let text = "";
		try {
			if (this.file) text = readFileSync(this.file, "utf8");
		} catch {
			// Before the first message there is no file.
		}
		this.parsed = text.split("\n").flatMap((line) => {
			try {
				const value = JSON.parse(line);
				return value ? [value] : [];
			} catch {
				return [];
			}
		});
		return this.parsed;
	}
	getCwd() { return this.cwd; }
	getSessionDir() { return this.file ? dirname(this.file) : ""; }
	getSessionId() { return this.id; }
	getSessionFile() { return this.file ?? undefined; }
	getHeader() { return this.lines().find((line) => line.type === "session") ?? null; }
	getEntries() { return this.lines().filter((line) => line.type !== "session"); }
	getEntryCount() { return this.getEntries().length; }
	getEntry(id) { return this.getEntries().findLast((entry) => entry.id === id); }
	getLeafId() { return this.leafId; }
	getLeafEntry() { return this.leafId === null ? undefined : this.getEntry(this.leafId); }
	getChildren(id) { return this.getEntries().filter((entry) => entry.parentId === id); }
	getLabel(id) {
		const last = this.getEntries().findLast((e) => e.type === "label" && e.targetId === id);
		return last?.label || undefined;
	}
	getSessionName() {
		const last = this.getEntries().findLast((entry) => entry.type === "session_info");
		return last?.name?.trim() || undefined;
	}
	getBranch(from = this.leafId) {
		const byId = new Map(this.getEntries().map((entry) => [entry.id, entry]));
		const path = [];
		// A parent that was seen already closes a circle.
		for (let entry = byId.get(from); entry && byId.delete(entry.id); entry = byId.get(entry.parentId)) {
			path.unshift(entry);
		}
		return path;
	}
	getTree() {
		const nodes = new Map();
		for (const entry of this.getEntries()) {
			const label = this.getLabel(entry.id);
			nodes.set(entry.id, label ? { entry, children: [], label } : { entry, children: [] });
		}
		const roots = [];
		for (const [id, node] of nodes) {
			const parent = node.entry.parentId === id ? undefined : nodes.get(node.entry.parentId);
			(parent?.children ?? roots).push(node);
		}
		return roots;
	}
}

/** Answers every member that is asked for with something that does nothing. */
const inert = (known, what) =>
	new Proxy(known, {
		get: (target, name) => {
			if (name in target || typeof name === "symbol" || name === "then") return target[name];
			return () => complain(`${what}.${name} does nothing under pitree`);
		},
	});

const ui = inert(
	{
		notify: (text) => complain(String(text)),
		confirm: async () => false,
		select: async () => undefined,
		input: async () => undefined,
		setStatus: () => {},
		setWidget: () => {},
		setTitle: () => {},
		theme: inert({ fg: (_, text) => text, bg: (_, text) => text, bold: (text) => text }, "theme"),
	},
	"ui",
);

const context = (session, signal) =>
	inert(
		{
			ui,
			hasUI: false,
			mode: "rpc",
			cwd: session.cwd,
			sessionManager: new SessionView(session),
			model: undefined,
			signal,
			isIdle: () => true,
			hasPendingMessages: () => false,
			getContextUsage: () => undefined,
			getSystemPrompt: () => "",
		},
		"context",
	);

/** The payload as Pi's extensions know it: sets are sets, and there is a signal. */
function revive(event, signal) {
	const operations = event.preparation?.fileOps;
	for (const name of Object.keys(operations ?? {})) operations[name] = new Set(operations[name]);
	return event.type.startsWith("session_before_") ? { ...event, signal } : event;
}

async function handle({ id, event, session, limitMs }) {
	const signal = limitMs ? AbortSignal.timeout(limitMs) : new AbortController().signal;
	let result = null;
	for (const handler of handlers.get(event.type) ?? []) {
		try {
			const answer = await handler(revive(event, signal), context(session, signal));
			if (answer) result = answer;
			if (answer?.cancel) break;
		} catch (error) {
			complain(`${event.type}: ${error?.stack ?? error}`);
			// As in Pi, the other handlers go on and the user is told.
			send({ type: "error", event: event.type, error: String(error?.message ?? error) });
		}
	}
	send(limitMs ? { type: "reply", id, result } : { type: "done", id });
}

async function load(known) {
	const module = await import(pathToFileURL(file).href);
	const factory = module.default?.default ?? module.default;
	if (typeof factory !== "function") throw new Error(`${file} has no default function`);
	const on = (name, handler) => {
		handlers.set(name, [...(handlers.get(name) ?? []), handler]);
		return () => handlers.set(name, handlers.get(name).filter((other) => other !== handler));
	};
	const events = inert({ on: () => () => {}, emit: () => {} }, "events");
	await factory(inert({ on, events, getSessionName: () => undefined }, "pi"));
	return known.filter((name) => handlers.has(name));
}

const PI = "@earendil-works/pi-coding-agent";

/** The module of an installed Pi: the `pi` on the PATH leads to it. */
function installedPi() {
	for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
		if (!existsSync(join(folder, "pi"))) continue;
		let at = dirname(realpathSync(join(folder, "pi")));
		for (; at !== dirname(at); at = dirname(at)) {
			const about = join(at, "package.json");
			if (!existsSync(about) || JSON.parse(readFileSync(about, "utf8")).name !== PI) continue;
			return ["dist/bundle/index.js", "dist/index.js"].map((name) => join(at, name)).find(existsSync);
		}
	}
}

/** The names that a file imports from a package. */
function importedNames(parent, specifier) {
	const source = readFileSync(fileURLToPath(parent), "utf8");
	const names = new Set();
	for (const [, clause, from] of source.matchAll(/import\s+(?!type\b)([^;"']*?)\s+from\s+["']([^"']+)["']/g)) {
		if (from !== specifier) continue;
		for (const part of clause.match(/\{([^}]*)\}/)?.[1].split(",") ?? []) {
			const name = part.trim().split(/\s+as\s+/)[0];
			if (name && !name.startsWith("type ")) names.add(name);
		}
	}
	return [...names];
}

// Packages that cannot be found are for screens, tools and models, which do nothing here: their
// names stand for something that takes every call and gives itself.
const STAND_IN = "pitree-stand-in:";
const STAND_IN_VALUE =
	"const value = new Proxy(function () {}, { get: (_, name) => name === Symbol.toPrimitive ? () => '' : name === 'then' ? undefined : value, apply: () => value, construct: () => value });";
nodeModule.registerHooks?.({
	resolve(specifier, about, next) {
		try {
			return next(specifier, about);
		} catch (error) {
			if (error.code !== "ERR_MODULE_NOT_FOUND" || /^[./]/.test(specifier)) throw error;
			const real = specifier === PI ? installedPi() : undefined;
			if (real) return { url: pathToFileURL(real).href, shortCircuit: true };
			complain(`${specifier} is not installed: what it offers does nothing under pitree`);
			const names = importedNames(about.parentURL, specifier).join();
			return { url: `${STAND_IN}${specifier}?${names}`, shortCircuit: true };
		}
	},
	load(url, about, next) {
		if (!url.startsWith(STAND_IN)) return next(url, about);
		const names = url.slice(url.indexOf("?") + 1).split(",").filter(Boolean);
		const exports = names.map((name) => `value as ${name}`).join();
		const source = `${STAND_IN_VALUE} export { ${exports} }; export default value;`;
		return { format: "module", source, shortCircuit: true };
	},
});

let queue = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
	const message = JSON.parse(line);
	queue = queue.then(async () => {
		if (message.type === "hello") {
			const events = await load(message.events);
			send({ type: "hello", protocol: message.protocol, events, acknowledges: true });
		} else if (message.type === "event") {
			await handle(message);
		}
	}).catch((error) => {
		complain(String(error?.message ?? error).replaceAll("\n", " "));
		process.exit(1);
	});
}).on("close", () => queue.then(() => process.exit(0)));
