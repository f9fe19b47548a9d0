// Makes a container of an azurite: `node make-container.mjs ADDRESS ACCOUNT KEY CONTAINER`.
import { createHmac } from "node:crypto";

const [address, account, key, container] = process.argv.slice(2);
const date = new Date().toUTCString();
const version = "2021-08-06";
const signed = [
    "PUT",
    ...Array(11).fill(""),
    `x-ms-date:${date}`,
    `x-ms-version:${version}`,
    `/${account}/${account}/${container}`,
    "restype:container",
].join("\n");
const signature = createHmac("sha256", Buffer.from(key, "base64")).update(signed).digest("base64");
const answer = await fetch(`http://${address}/${account}/${container}?restype=container`, {
    method: "PUT",
    headers: {
        "x-ms-date": date,
        "x-ms-version": version,
        authorization: `SharedKey ${account}:${signature}`,
    },
});
if (!answer.ok) {
    console.error(answer.status, await answer.text());
    process.exit(1);
}
