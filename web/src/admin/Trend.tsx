// How a figure went from one time to the next, as a line; a table beside it must say the same.
export interface TrendPoint {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  /** The value as it is written. */
  readonly written: string;
}

const [WIDTH, HEIGHT, ROOM] = [600, 120, 10];

interface TrendProps {
  readonly title: string;
  /** Earliest first. */
  readonly points: readonly TrendPoint[];
}

export function Trend({ title, points }: TrendProps) {
  const values = points.map((each) => each.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const written = (value: number) => points.find((each) => each.value === value)?.written;
  const across = (index: number) =>
    points.length === 1
      ? WIDTH / 2
      : ROOM + (index * (WIDTH - 2 * ROOM)) / Math.max(1, points.length - 1);
  // Where all are the same, the line is in the middle.
  const up = (value: number) =>
    most === least
      ? HEIGHT / 2
      : HEIGHT - ROOM - ((value - least) / (most - least)) * (HEIGHT - 2 * ROOM);
  return (
    <figure dir="ltr" className="flex max-w-3xl items-stretch gap-2">
      <div
        aria-hidden
        className="flex shrink-0 flex-col justify-between text-end text-xs text-muted tabular-nums"
      >
        <span>{written(most)}</span>
        {most !== least && <span>{written(least)}</span>}
      </div>
      <svg
        role="img"
        aria-label={title}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="min-w-0 flex-1 rounded-md border border-line bg-raised"
      >
        <polyline
          points={points.map((each, index) => `${across(index)},${up(each.value)}`).join(" ")}
          className="fill-none stroke-accent stroke-2"
        />
        {points.map((each, index) => (
          <circle
            key={each.id}
            cx={across(index)}
            cy={up(each.value)}
            r={4}
            className="fill-accent"
          >
            <title>{`${each.label}: ${each.written}`}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}
