// Amounts as bars, one after the other; what stands beside them must say the same as a table.
interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as it is written. */
  readonly written: string;
}

const HEIGHT = 120;
const STEP = 20;

export function Bars({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(...bars.map((each) => each.value), Number.MIN_VALUE);
  return (
    <svg
      role="img"
      aria-label={title}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      className="h-32 w-full max-w-3xl rounded-md border border-line bg-raised"
    >
      {bars.map((each, index) => {
        const height = (each.value / most) * HEIGHT;
        return (
          <rect
            key={each.label}
            x={index * STEP + 3}
            y={HEIGHT - height + 1}
            width={STEP - 6}
            height={Math.max(height, each.value > 0 ? 1 : 0)}
            className="fill-accent"
          >
            <title>{`${each.label}: ${each.written}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
