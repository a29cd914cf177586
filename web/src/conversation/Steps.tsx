// The steps of a model that looks things up by itself, with what it asked for and was given.
import { useTranslation } from "react-i18next";

import type { Step } from "./steps";

const SHOWN_CHARACTERS = 4000;

export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const { t } = useTranslation();
  return (
    <ol aria-label={t("steps.title")} className="flex flex-col gap-1 text-xs text-muted">
      {steps.map((step) => (
        <li key={step.call}>
          <details>
            <summary>
              <code>{step.name}</code>{" "}
              <span className={step.failed ? "text-bad" : undefined}>
                {step.failed
                  ? t("steps.failed")
                  : step.result === null
                    ? t("steps.working")
                    : t("steps.done")}
              </span>
            </summary>
            <pre
              dir="auto"
              className="mt-1 rounded bg-raised p-2 wrap-anywhere whitespace-pre-wrap"
            >
              {step.arguments}
            </pre>
            {step.result !== null && (
              <pre
                dir="auto"
                className="mt-1 rounded bg-raised p-2 wrap-anywhere whitespace-pre-wrap"
              >
                {step.result.slice(0, SHOWN_CHARACTERS)}
              </pre>
            )}
          </details>
        </li>
      ))}
    </ol>
  );
}
