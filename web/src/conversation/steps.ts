// What a model looks up by itself, step by step, as the stream tells it.

/** A call of a tool. */
export interface Step {
  readonly call: string;
  readonly name: string;
  readonly arguments: string;
  /** What the tool gave; null while it works. */
  readonly result: string | null;
  readonly failed: boolean;
}

/** What the stream tells of a tool: that it was called, or what it gave. */
export interface ToolEvent {
  readonly call_id: string;
  readonly name: string;
  readonly arguments?: string | null;
  readonly result?: string | null;
  readonly failed?: boolean | null;
}

/** The steps with what an event tells of one of them. */
export function withTool(steps: readonly Step[], told: ToolEvent): readonly Step[] {
  const at = steps.findIndex((each) => each.call === told.call_id);
  const step: Step = {
    call: told.call_id,
    name: told.name,
    arguments: told.arguments ?? steps[at]?.arguments ?? "",
    result: told.result ?? null,
    failed: told.failed ?? false,
  };
  return at < 0 ? [...steps, step] : steps.with(at, step);
}
