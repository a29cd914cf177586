// One block of a document without pages, as what it is. Nothing in it is taken for markup.
import { WideTable } from "../ui/WideTable";
import { type Marking, Marked } from "./Marked";
import type { Block } from "./blocks";

interface BlockViewProps {
  readonly block: Block;
  readonly marking: Marking;
}

export function BlockView({ block, marking }: BlockViewProps) {
  switch (block.kind) {
    case "heading":
      return (
        <h3 className="my-2 font-semibold">
          <Marked piece={block.piece} marking={marking} />
        </h3>
      );
    case "code":
      return (
        <pre className="my-2 rounded bg-raised p-2 text-sm whitespace-pre-wrap">
          <Marked piece={block.piece} marking={marking} />
        </pre>
      );
    case "list":
      return (
        <ul className="my-2">
          {block.items.map((item, index) => (
            <li
              key={index}
              className="whitespace-pre-wrap"
              style={{ paddingInlineStart: `${item.depth + 1}rem` }}
            >
              <Marked piece={item} marking={marking} />
            </li>
          ))}
        </ul>
      );
    case "table":
      return <Table block={block} marking={marking} />;
    default:
      return (
        <p className="my-2 whitespace-pre-wrap">
          <Marked piece={block.piece} marking={marking} />
        </p>
      );
  }
}

interface TableProps {
  readonly block: Extract<Block, { kind: "table" }>;
  readonly marking: Marking;
}

const CELL = "border border-line px-2 py-1 text-start align-top";

function Table({ block, marking }: TableProps) {
  return (
    <WideTable className="my-2">
      <table className="border-collapse text-sm">
        {block.head.length > 0 && (
          <thead>
            <tr>
              {block.head.map((cell, index) => (
                <td key={index} className={`${CELL} bg-raised font-semibold`}>
                  <Marked piece={cell} marking={marking} />
                </td>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {block.rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index} className={CELL}>
                  <Marked piece={cell} marking={marking} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}
