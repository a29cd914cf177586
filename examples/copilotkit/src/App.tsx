// A chat of CopilotKit over Footnote: answers stream, with footnotes, the agent's steps and what to ask next.
import {
  CopilotChat,
  CopilotChatAssistantMessage,
  CopilotKit,
  useAgent,
  useCopilotKit,
  useDefaultRenderTool,
} from "@copilotkit/react-core/v2";

import { AssistantMessage } from "./AssistantMessage";
import type { Config } from "./footnote";
import { Telling, useTold } from "./run";

/** What each run asks of Footnote; `{ agent: true }` has a model look things up by itself. */
const ASKED = { footnote: { suggest: true } };
const LABELS = {
  chatInputPlaceholder: "Ask your documents",
  welcomeMessageText: "Ask your documents",
};
/** It stands in the chat where its own message would. */
const MESSAGES = { assistantMessage: AssistantMessage as typeof CopilotChatAssistantMessage };

export function App({ config }: { readonly config: Config }) {
  return (
    <CopilotKit
      runtimeUrl="/api/copilotkit"
      useSingleEndpoint={false}
      properties={ASKED}
      showDevConsole={false}
      enableInspector={false}
    >
      <Telling config={config}>
        <Chat />
      </Telling>
    </CopilotKit>
  );
}

function Chat() {
  useDefaultRenderTool();
  return (
    <main>
      <h1>Ask the documents</h1>
      <CopilotChat labels={LABELS} messageView={MESSAGES} className="chat" />
      <Below />
    </main>
  );
}

/** What the answer is taken from while it is made, and what may be asked after it. */
function Below() {
  const { sources, suggestions } = useTold();
  const { agent } = useAgent();
  const { copilotkit } = useCopilotKit();
  const ask = (question: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: question });
    void copilotkit.runAgent({ agent });
  };
  return (
    <div className="below">
      <p role="status">
        {agent.isRunning && sources !== null && `Reading ${sources} passages`}
      </p>
      <ul aria-label="Ask next">
        {suggestions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => ask(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
