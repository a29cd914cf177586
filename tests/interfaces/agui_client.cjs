// Runs one question with the official client of AG-UI and prints what its subscribers were told.
const { HttpAgent } = require("@ag-ui/client");

async function main([url, question]) {
  const agent = new HttpAgent({ url, threadId: "t1", forwardedProps: {} });
  agent.messages = [{ id: "m1", role: "user", content: question }];
  const told = { names: [], types: [] };
  const { newMessages } = await agent.runAgent(
    { runId: "r1", forwardedProps: { footnote: { top_k: 4 } } },
    {
      onEvent: ({ event }) => void told.types.push(event.type),
      onCustomEvent: ({ event }) => void told.names.push(event.name),
    },
  );
  console.log(JSON.stringify({ ...told, messages: newMessages, state: agent.state }));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
