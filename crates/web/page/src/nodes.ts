// The one place where text of a session becomes elements. The renderer has checked its trees already; this
// checks them again, because a page must not depend on where its data came from: tags, attributes, classes
// and link schemes of the lists below pass, everything else becomes text or is left out.

import type { ShownNode } from "./types.ts";

const TAGS = new Set([
  "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "del", "a",
  "table", "thead", "tbody", "tr", "th", "td", "hr", "br", "span", "div", "details", "summary", "img", "dl", "dt", "dd",
]);
const LINK = /^(?:https?:\/\/|mailto:)/i;
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const CLASSES = /^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*$/;
/** Headings of a message stay below those of the page. */
const HEADING: Record<string, string> = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6" };
const MAX_DEPTH = 100;

type Attributes = Record<string, unknown>;

function isAttributes(value: unknown): value is Attributes {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function setLink(element: HTMLElement, link: unknown): void {
  const address = text(link);
  if (address === null || !LINK.test(address)) return;
  element.setAttribute("href", address);
  element.setAttribute("rel", "noreferrer noopener");
  element.setAttribute("target", "_blank");
}

function setImage(element: HTMLElement, attributes: Attributes): void {
  const source = text(attributes["src"]) ?? "";
  element.setAttribute("src", source);
  element.setAttribute("alt", text(attributes["t"]) ?? "Image");
  element.setAttribute("loading", "lazy");
}

function setAttributes(element: HTMLElement, tag: string, attributes: Attributes): void {
  const classes = text(attributes["c"]);
  if (classes !== null && CLASSES.test(classes)) element.className = classes;
  const title = text(attributes["t"]);
  if (title !== null && tag !== "img") element.title = title;
  if (tag === "a") setLink(element, attributes["h"]);
  if (tag === "img") setImage(element, attributes);
  if (Number.isInteger(attributes["n"])) element.dataset["left"] = String(attributes["n"]);
  if (tag === "details" && attributes["o"] === 1) element.setAttribute("open", "");
  if (tag === "ol" && Number.isInteger(attributes["s"])) element.setAttribute("start", String(attributes["s"]));
  const align = text(attributes["a"]);
  if ((tag === "td" || tag === "th") && align !== null && /^(?:left|center|right)$/.test(align)) element.classList.add(`align-${align}`);
}

function append(parent: Element, node: unknown, depth: number): void {
  if (typeof node === "string") {
    parent.append(node);
    return;
  }
  if (!Array.isArray(node) || typeof node[0] !== "string") return;
  const [tag, second] = node as [string, unknown];
  const attributes = isAttributes(second) ? second : {};
  const children = node.slice(isAttributes(second) ? 2 : 1);
  const isKnown = TAGS.has(tag) && depth < MAX_DEPTH && (tag !== "img" || IMAGE.test(text(attributes["src"]) ?? ""));
  const element = isKnown ? document.createElement(HEADING[tag] ?? tag) : parent;
  if (isKnown) setAttributes(element as HTMLElement, tag, attributes);
  else parent.append(`<${tag}>`);
  for (const child of children) append(element, child, depth + 1);
  if (isKnown) parent.append(element);
}

/** Long lines in a block can be scrolled, so the keyboard must be able to reach it. */
function makeReachable(root: HTMLElement): void {
  for (const block of root.querySelectorAll<HTMLElement>("pre, .lines")) {
    block.tabIndex = 0;
    if (block.tagName === "PRE") block.setAttribute("role", "region");
    if (block.tagName === "PRE") block.setAttribute("aria-label", "Text block");
  }
}

/** The element that shows these nodes. */
export function shown(nodes: readonly ShownNode[] | null, className = "body"): HTMLElement {
  const root = document.createElement("div");
  root.className = className;
  for (const node of nodes ?? []) append(root, node, 0);
  makeReachable(root);
  return root;
}
