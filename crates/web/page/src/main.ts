// Everything of the page, in one module.

import "./session/context.ts";
import "./session/conversation.ts";
import "./session/family.ts";
import "./session/find.ts";
import "./session/graph.ts";
import "./session/lanes.ts";
import "./session/minimap.ts";
import "./session/request.ts";
import "./session/subagent.ts";
import "./session/tree.ts";
import "./session/view.ts";
import "./views/sessions.ts";
import "./views/spend.ts";
import "./views/stats.ts";
import "./palette.ts";
import "./help.ts";
import "./delete.ts";
import "./app.ts";

import { currentTheme, setTheme } from "./theme.ts";

setTheme(currentTheme());
