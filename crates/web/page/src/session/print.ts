// Printing: all rows of the path go on the paper, not only those on the screen.

import { toast } from "../element.ts";
import { MOST_PRINTED, type Conversation } from "./conversation.ts";
import type { SessionModel } from "./model.ts";

export async function printPath(conversation: Conversation, model: SessionModel): Promise<void> {
  toast("Preparing the pages…");
  await model.loadAll(MOST_PRINTED);
  await layOut(conversation);
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
export async function layOut(conversation: Conversation): Promise<void> {
  conversation.isPrinting = true;
  await conversation.updateComplete;
}
