// Drives a server with the client class of the real Pi: one line of JSON for each step.
import { pathToFileURL } from "node:url";

const plan = JSON.parse(process.argv[2]);
const { RpcClient } = await import(pathToFileURL(plan.module).href);
const client = new RpcClient({ cliPath: plan.cliPath, cwd: plan.cwd, args: plan.args });
let events = [];
client.onEvent((event) => events.push(event));
await client.start();
for (const [method, ...args] of plan.steps) {
	const step = { method, args };
	try {
		step.value = await client[method](...args);
	} catch (error) {
		step.error = error.message;
	}
	// What an answer sets off may come a little later.
	if (plan.pauseMs) await new Promise((resolve) => setTimeout(resolve, plan.pauseMs));
	process.stdout.write(`${JSON.stringify({ ...step, events })}\n`);
	events = [];
}
await client.stop();
