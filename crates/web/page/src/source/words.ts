// What a query looks for, for a page that is a file. A server reads its queries itself, and says what it looked for.

/** A filter whose value may be quoted, as `cwd:"my project"`. */
const FILTER = /^(?:role|tool|model|cwd|on|before|after|is):(?:"[^"]*"|\S+)$/;
const PARTS = /[a-z]+:"[^"]+"(?=\s|$)|"([^"]+)"(?=\s|$)|\S+/g;

/** Words, their beginnings, and phrases in quotes, in lower case. After `re:` everything is one expression. */
export function wordsOf(query: string): string[] {
  const [plain = ""] = query.toLowerCase().split(/(?:^|(?<=\s))re:/, 1);
  const words = [...plain.matchAll(PARTS)].map(([part, phrase]) => phrase ?? (FILTER.test(part) ? "" : part.replace(/(?<=.)\*$/, "")));
  return words.map((word) => word.trim()).filter(Boolean);
}
