// Stands in for Pi's command where its client class wants a script: runs another program with the
// same arguments and passes the three streams through.
import { spawn } from "node:child_process";

const child = spawn(process.env.STAND_IN, ["rpc", ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 143 : (code ?? 1)));
