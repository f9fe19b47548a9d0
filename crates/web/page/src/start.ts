// The first thing that runs: the session that the address names is on its way while the rest of the page begins.

import { readRoute } from "./route.ts";
import { openingPart } from "./session/opening.ts";
import { INDEX_ID } from "./source/file.ts";
import { askAhead } from "./source/http.ts";

const route = readRoute(location.hash);
if (route.view === "session" && route.key !== "" && !document.getElementById(INDEX_ID)) askAhead(route.key, openingPart(route));
