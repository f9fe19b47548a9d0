// The real Pi in its own `main`, with an extension that can do what the protocol cannot: move in
// the tree, speak, change the tools and edit the context. Arguments: the module of Pi, then Pi's
// own.
const edits = [];

// The smallest picture there is, in the given colour.
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const text = (words) => ({ type: "text", text: words });
const image = { type: "image", data: PICTURE, mimeType: "image/png" };
const noParameters = { type: "object", properties: {} };

const TOOLS = [
  {
    name: "look",
    description: "Looks at something",
    parameters: {
      type: "object",
      properties: { what: { type: "string" }, often: { type: "number" } },
      required: ["what"],
    },
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    run: ({ what }) => (what === "mute" ? [image] : [text(`a picture of ${what}`), image, image]),
  },
  {
    name: "hush",
    description: "Says nothing",
    parameters: noParameters,
    run: () => [],
  },
  {
    name: "fail",
    description: "Always fails",
    parameters: noParameters,
    run: () => {
      throw new Error("as was to be expected");
    },
  },
  {
    name: "recite",
    description: "Takes a number in words",
    parameters: {
      type: "object",
      properties: { number: { type: "string" } },
      required: ["number"],
    },
    constrainedSampling: { type: "grammar", variants: { openai_regex: "[a-z]+" } },
    run: ({ number }) => [text(`${number} \ud83d alone`)],
  },
  {
    name: "late",
    description: "Is not there from the beginning",
    parameters: noParameters,
    defaultActive: false,
    run: () => [text("at last")],
  },
];

function extension(pi) {
  for (const { run, ...tool } of TOOLS) {
    pi.registerTool({
      label: tool.name,
      ...tool,
      execute: async (id, given) => ({ content: run(given), details: {} }),
    });
  }
  const command = (name, handler) =>
    pi.registerCommand(name, {
      description: name,
      handler: (line, context) => handler(JSON.parse(line), context),
    });
  command("goto", async ({ target, options }, context) => {
    await context.navigateTree(target, options);
  });
  command("say", ({ message, options }) => pi.sendMessage(message, options));
  command("tools", (names) => pi.setActiveTools(names));
  command("edit", (edit) => void edits.push({ type: "context_edit", ...edit }));
  pi.on("agent_before_settle", () => ({ entries: edits.splice(0) }));
}

const [module, ...rest] = process.argv.slice(2);
process.argv.splice(2, 1);
const { main } = await import(module);
await main(rest, { extensionFactories: [extension] });
