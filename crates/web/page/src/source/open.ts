// Which source this page has: its own data, or the server it came from.

import { fileSource, INDEX_ID } from "./file.ts";
import { httpSource } from "./http.ts";
import type { Source } from "./source.ts";

export async function openSource(): Promise<Source> {
  return document.getElementById(INDEX_ID) ? fileSource() : httpSource();
}
