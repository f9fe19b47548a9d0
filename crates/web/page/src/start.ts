// A script of its own, which the browser runs first: the session that the address names is on its way before the page's
// own script is read.

import { askAhead } from "./ahead.ts";
import { readRoute } from "./route.ts";
import { openingPart } from "./session/opening.ts";
import { openingAddress } from "./source/address.ts";

const route = readRoute(location.hash);
if (route.view === "session") askAhead(openingAddress(route.key, openingPart(route)));
