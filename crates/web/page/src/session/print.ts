// Printing: all rows of the path go on the paper, not only those on the screen. A very long branch is printed in
// parts; the paper says which part it is.

import { toast } from "../element.ts";
import { count } from "../text.ts";
import { MOST_PRINTED, type Conversation } from "./conversation.ts";
import type { SessionModel } from "./model.ts";

/** Prints the branch from a place on. */
export async function printPath(conversation: Conversation, model: SessionModel, from = 0): Promise<void> {
  const end = Math.min(model.path.length, from + MOST_PRINTED);
  toast(end - from < model.path.length ? `Preparing entries ${count(from + 1)} to ${count(end)} of ${count(model.path.length)}…` : "Preparing the pages…");
  await model.loadAll(from, MOST_PRINTED);
  await layOut(conversation, from);
  window.print();
  await putBack(conversation);
}

/** Shows the conversation where it was. */
export async function putBack(conversation: Conversation): Promise<void> {
  if (!conversation.isPrinting) return;
  conversation.isPrinting = false;
  await conversation.updateComplete;
  conversation.show(conversation.cursor, { align: "center" });
}

/** Puts all loaded rows on the page. */
async function layOut(conversation: Conversation, from: number): Promise<void> {
  conversation.printedFrom = from;
  conversation.isPrinting = true;
  await conversation.updateComplete;
}
