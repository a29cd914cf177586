// The messages of a conversation, the latest first of all: a long one shows earlier ones on demand.
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Message } from "../api/types";
import { Button } from "../ui/Button";
import { Question } from "./Question";
import { Reply } from "./Reply";

/** So many are laid out at once that each change of the page stays quick. */
const SHOWN = 40;
const ALONE: readonly string[] = [];

interface MessagesProps {
  readonly conversation: string;
  readonly messages: readonly Message[];
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** The message that a link leads to. */
  readonly target: string | undefined;
  readonly onEdit: (message: Message, question: string) => void;
  readonly onAgain: (message: Message) => void;
}

export function Messages(props: MessagesProps) {
  const { conversation, messages, versions, target, onEdit, onAgain } = props;
  const { t } = useTranslation();
  const [more, setMore] = useState(0);
  const aimed = messages.findIndex((each) => each.message_id === target);
  const first = Math.min(
    Math.max(0, messages.length - SHOWN - more),
    aimed < 0 ? messages.length : aimed,
  );
  const showEarlier = () => {
    const before = messages[first];
    setMore((shown) => Math.max(shown + SHOWN, messages.length - first));
    // What was read stays where it was.
    requestAnimationFrame(() => {
      const row = document.getElementById(rowId(before?.message_id ?? ""));
      row?.scrollIntoView({ block: "start" });
      row?.focus();
    });
  };
  return (
    <>
      {first > 0 && (
        <Button className="self-center" onClick={showEarlier}>
          {t("messages.earlier", { count: first })}
        </Button>
      )}
      {messages.slice(first).map((message) => (
        <Row
          key={message.message_id}
          message={message}
          conversation={conversation}
          versions={versions.get(message.message_id) ?? ALONE}
          aimed={message.message_id === target}
          onEdit={onEdit}
          onAgain={onAgain}
        />
      ))}
    </>
  );
}

export function rowId(message: string): string {
  return `message-${message}`;
}

interface RowProps {
  readonly message: Message;
  readonly conversation: string;
  readonly versions: readonly string[];
  readonly aimed: boolean;
  readonly onEdit: (message: Message, question: string) => void;
  readonly onAgain: (message: Message) => void;
}

const Row = memo(function Row({ message, aimed, onEdit, onAgain, ...rest }: RowProps) {
  return (
    <div
      id={rowId(message.message_id)}
      tabIndex={-1}
      className={aimed ? "border-s-2 border-accent ps-2" : "lazy-layout"}
    >
      {message.role === "user" ? (
        <Question message={message} onEdit={onEdit} {...rest} />
      ) : (
        <Reply message={message} onAgain={onAgain} {...rest} />
      )}
    </div>
  );
});
