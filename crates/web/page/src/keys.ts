// All keys, in one list: what a key does and what the help says come from the same row. They are those of the
// terminal's reader where it has them.

export type Action =
  | "down" | "up" | "pageDown" | "pageUp" | "first" | "last" | "nextUser" | "previousUser" | "nextError" | "previousError"
  | "find" | "findNext" | "findPrevious" | "fold" | "foldAll" | "copy" | "copyCode" | "tree" | "leave" | "request" | "label" | "link";

interface Binding {
  keys: readonly string[];
  /** How the help spells them. */
  shown: string;
  does: string;
  action: Action;
}

export const READING: readonly Binding[] = [
  { keys: ["j", "ArrowDown"], shown: "j ↓", does: "next message", action: "down" },
  { keys: ["k", "ArrowUp"], shown: "k ↑", does: "previous message", action: "up" },
  { keys: [" ", "PageDown"], shown: "Space PgDn", does: "a page down", action: "pageDown" },
  { keys: ["PageUp"], shown: "PgUp", does: "a page up", action: "pageUp" },
  { keys: ["g", "Home"], shown: "g Home", does: "to the beginning", action: "first" },
  { keys: ["G", "End"], shown: "G End", does: "to the end", action: "last" },
  { keys: ["]"], shown: "]", does: "next message of the user", action: "nextUser" },
  { keys: ["["], shown: "[", does: "previous message of the user", action: "previousUser" },
  { keys: ["}"], shown: "}", does: "next error", action: "nextError" },
  { keys: ["{"], shown: "{", does: "previous error", action: "previousError" },
  { keys: ["/"], shown: "/", does: "find in this session", action: "find" },
  { keys: ["n"], shown: "n", does: "next match", action: "findNext" },
  { keys: ["N"], shown: "N", does: "previous match", action: "findPrevious" },
  { keys: ["o", "Enter"], shown: "o Enter", does: "fold or unfold the message", action: "fold" },
  { keys: ["O"], shown: "O", does: "fold or unfold all messages", action: "foldAll" },
  { keys: ["y"], shown: "y", does: "copy the message", action: "copy" },
  { keys: ["Y"], shown: "Y", does: "copy its code block", action: "copyCode" },
  { keys: ["L"], shown: "L", does: "copy a link to the message", action: "link" },
  { keys: ["l"], shown: "l", does: "set a label (with --allow-edit)", action: "label" },
  { keys: ["r"], shown: "r", does: "the request for this reply", action: "request" },
  { keys: ["t"], shown: "t", does: "to the tree, and back", action: "tree" },
  { keys: ["q"], shown: "q", does: "back to the sessions", action: "leave" },
];

export const HELP: readonly { title: string; rows: readonly (readonly [string, string])[] }[] = [
  { title: "Conversation", rows: READING.map(({ shown, does }) => [shown, does] as const) },
  {
    title: "Everywhere",
    rows: [["Ctrl+K ⌘K", "sessions, views and commands"], ["1 … 6", "views of a session"], ["?", "this help"], ["Esc", "close, or leave a field"]],
  },
  { title: "Sessions", rows: [["/", "search"], ["j ↓", "next session"], ["k ↑", "previous session"], ["Enter", "open it"]] },
  { title: "Tree", rows: [["j ↓ k ↑", "move"], ["← →", "to the previous or next branch point"], ["Enter", "show the entry"], ["t", "back to the conversation"]] },
  { title: "Lanes, graphs and charts", rows: [["Tab", "to the next part"], ["← → ↑ ↓", "move, or pan"], ["+ −", "zoom a graph"], ["0", "show all of a graph"], ["Enter", "open what is selected"]] },
];

/** Whether keys are text where the focus is. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return target !== null && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Whether the focus is on something that has its own use for Enter and Space. */
export function isControl(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return target !== null && target.closest("button, a[href], summary, [role=slider], [role=tree]") !== null;
}
