// What a page may consist of. Runs in the browser: it must use nothing from outside of itself.

/** What is wrong with the document, and its text. `isPlain` is the page without a script. */
export function audit(isPlain) {
  const wrong = [];
  const say = (what, element) => wrong.push(element ? `${what}: ${element.outerHTML.slice(0, 160)}` : what);
  const KNOWN = new Set(("html head body meta title link script style noscript main header footer nav section article aside div span p a button input label select option h1 h2 h3 h4 h5 h6 " +
    "ul ol li dl dt dd blockquote pre code em strong b i small del mark kbd time table thead tbody tr th td caption hr br details summary img dialog form textarea figure figcaption output " +
    "datalist canvas svg g path rect line text title circle tspan defs polyline").split(" "));
  const NEVER = ["srcset", "srcdoc", "ping", "formaction", "action", "background", "poster", "is", "xlink:href", "http-equiv", "data", "slot", "popover", "autofocus", "attributename"];
  const content = isPlain ? "main" : ".body, .result";
  for (const element of document.querySelectorAll("*")) {
    const tag = element.localName;
    const isContent = element.closest(content) !== null && !element.matches(content);
    if (!KNOWN.has(tag) && !tag.startsWith("pt-")) say("element", element);
    if (isContent && /^(?:script|style|link|form|input|textarea|svg|dialog|meta|noscript|datalist)$/.test(tag)) say("element of the page in a text", element);
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) say("event handler", element);
      if (NEVER.includes(name) && !(tag === "meta" && name === "http-equiv")) say(`attribute ${name}`, element);
      if (name === "href" && tag === "a" && !/^(?:#|https?:\/\/|mailto:)/.test(value)) say("link", element);
      if (name === "href" && tag === "a" && !value.startsWith("#") && !/noreferrer|noopener/.test(element.rel)) say("link that tells where it is from", element);
      if (name === "src" && tag === "img" && !/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(value)) say("image", element);
      if (name === "style" && (isContent || /url|image|expression|fixed|import/i.test(value))) say("style", element);
      if (name === "class" && isContent && !/^[\w -]*$/.test(value)) say("class", element);
    }
    if (isContent && getComputedStyle(element).position === "fixed") say("fixed", element);
  }
  const policies = document.querySelectorAll("meta[http-equiv]");
  if (policies.length > 1 || [...policies].some((each) => each.httpEquiv.toLowerCase() !== "content-security-policy")) say("meta");
  for (const script of document.scripts) {
    const isOwn = script.src ? /\/assets\/app\.js$/.test(script.src) : script.type === "application/octet-stream" || script.matches("body > script[type=module]");
    if (!isOwn || isPlain) say("script", script);
  }
  if (document.styleSheets.length !== 1) say(`${document.styleSheets.length} style sheets`);
  if (document.documentElement.scrollWidth > innerWidth + 1) {
    const right = (element) => element.getBoundingClientRect().right;
    const scrolls = (element) => element !== null && element !== document.body && (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
    const wide = [...document.body.querySelectorAll("*")].find((element) => right(element) > innerWidth + 1 && !scrolls(element.parentElement));
    say(`wider than the window: ${document.documentElement.scrollWidth}`, wide);
  }
  const look = getComputedStyle(document.body);
  if (look.display === "none" || look.visibility === "hidden" || look.color === "rgb(1, 2, 3)") say("the look of the page has changed");
  if (window.__hit !== undefined) say("a script ran");
  if (Object.keys(Object.prototype).length > 0 || Object.keys(Array.prototype).length > 0) say("a prototype was changed");
  for (const details of document.querySelectorAll("details")) details.open = true;
  const titles = [...document.querySelectorAll("[title]")].map((element) => element.title);
  const text = [document.title, document.body.innerText, ...titles].join("\n");
  const odd = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/u.exec(text);
  if (odd) say(`character U+${odd[0].codePointAt(0).toString(16)}: ${text.slice(Math.max(0, odd.index - 40), odd.index + 20)}`);
  return { wrong: [...new Set(wrong)].slice(0, 20), text };
}
