// The reference page of what `indus serve` speaks.

import { definition, errorRows, methodTable } from "./page.mjs";
import { protocolVersion } from "./typescript.mjs";

/** The text of docs/reference/serve-protocol.md. */
export function writeServePage(schema, { maxMessageBytes, maxUnreadBytes, maxWaiting }) {
  const { clientToServer, serverToClient } = schema.methods;
  const mib = (bytes) => `${bytes / 1024 ** 2} MiB`;
  return `# The protocol of indus serve, version ${protocolVersion(schema)}

Generated from [serve-protocol.schema.json](../../packages/induscode/src/parts/serve/protocol/serve-protocol.schema.json) by
\`npm run protocol\`: do not edit. [Driving indus from programs](../guide/programs.md#indus-serve) shows how to use it.

[JSON-RPC 2.0](https://www.jsonrpc.org/specification), one message per line in UTF-8, over stdin and stdout of \`indus serve\` or over the socket of
\`indus serve --socket\`. An id is an integer or a string of at most 200 characters; requests may be answered in any order. \`params\` is an object; left out it counts as
\`{}\`. A batch (a list of messages) is refused. The server sends notifications only. Fields that a client does not know are to be ignored.

\`\`\`
client {"jsonrpc":"2.0","id":1,"method":"sessions/open","params":{"cwd":"/home/me/app"}}
server {"jsonrpc":"2.0","id":1,"result":{"id":"2026-01-05T10-00-00-000Z-1a2b3c4d","cwd":"/home/me/app","busy":false,…}}
client {"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"session":"2026-01-05T10-00-00-000Z-1a2b3c4d"}}
server {"jsonrpc":"2.0","id":2,"result":{"next":0,"state":{…}}}
client {"jsonrpc":"2.0","id":3,"method":"submit","params":{"session":"2026-01-05T10-00-00-000Z-1a2b3c4d","content":[{"kind":"text","text":"Run the tests"}]}}
server {"jsonrpc":"2.0","method":"question","params":{"session":"2026-01-05T10-00-00-000Z-1a2b3c4d","id":1,"question":{"kind":"permission",…}}}
client {"jsonrpc":"2.0","id":4,"method":"answer","params":{"session":"2026-01-05T10-00-00-000Z-1a2b3c4d","id":1,"answer":{"kind":"once"}}}
server {"jsonrpc":"2.0","id":4,"result":{}}
server {"jsonrpc":"2.0","id":3,"result":{"kind":"complete","text":"They pass.","stop":"complete"}}
\`\`\`

## What a client sends

${methodTable(clientToServer)}

## What the server sends

To the connections that are subscribed to the session.

${methodTable(serverToClient)}

## Error codes

| code | name | meaning |
|---|---|---|
${errorRows(schema)}

## Limits

A line may have ${mib(maxMessageBytes)}; a longer one is answered with ${schema.errors.parse.code}, and the connection stays. ${maxWaiting} requests of one connection may wait for an answer. While a client
reads no answers, its requests are not read either; one that leaves ${mib(maxUnreadBytes)} unread is disconnected, and may subscribe again from where it was.

## Shapes

A field without *required* may be left out.

${Object.entries(schema.$defs)
  .map(([name, def]) => definition(name, def))
  .join("\n\n")}
`;
}
