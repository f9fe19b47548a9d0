// Pi's protocol cannot move in the tree, but a command of an extension can.
export default function (pi) {
	pi.registerCommand("goto", {
		description: "move in the tree",
		handler: async (target, context) => {
			await context.navigateTree(target.trim(), {});
		},
	});
}
