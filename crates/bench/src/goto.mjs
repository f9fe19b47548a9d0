// The real Pi in its own `main`, with a command that moves in the tree: its protocol has none.
// Arguments: the module of Pi, then Pi's own.
function goto(pi) {
	pi.registerCommand("goto", {
		description: "move in the tree",
		handler: async (target, context) => {
			await context.navigateTree(target.trim(), {});
		},
	});
}

const [module, ...rest] = process.argv.slice(2);
process.argv.splice(2, 1);
const { main } = await import(module);
await main(rest, { extensionFactories: [goto] });
