// Which documents are meant: near a place, within a shape, or next in a direction.
import type { Spot } from "./view";

/** The number of the place that is nearest to a spot, if any lies within reach. */
export function nearest(spots: readonly Spot[], to: Spot, reach: number): number | null {
  let found: number | null = null;
  let least = reach * reach;
  spots.forEach(({ x, y }, index) => {
    const apart = (x - to.x) ** 2 + (y - to.y) ** 2;
    if (apart <= least) {
      least = apart;
      found = index;
    }
  });
  return found;
}

/** The numbers of the places within a shape that its corners make, the last joined to the first. */
export function inside(spots: readonly Spot[], corners: readonly Spot[]): number[] {
  return spots.flatMap((spot, index) => (isInside(spot, corners) ? [index] : []));
}

function isInside({ x, y }: Spot, corners: readonly Spot[]): boolean {
  let within = false;
  corners.forEach((corner, index) => {
    const before = corners.at(index - 1) ?? corner;
    if (corner.y > y === before.y > y) return;
    const crossing = before.x + ((y - before.y) / (corner.y - before.y)) * (corner.x - before.x);
    if (x < crossing) within = !within;
  });
  return within;
}

/** The corners of the rectangle between two spots. */
export function rectangle(from: Spot, to: Spot): readonly Spot[] {
  return [from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }];
}

const DIRECTIONS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
} as const;
export type Direction = keyof typeof DIRECTIONS;

export function isDirection(key: string): key is Direction {
  return key in DIRECTIONS;
}

/** By how much the window moves in a direction, across and down. */
export function stepOf(direction: Direction, pixels: number): readonly [number, number] {
  const [right, up] = DIRECTIONS[direction];
  return [-right * pixels, up * pixels];
}

/** The nearest place in a direction, those ahead before those to the side; null at the edge. */
export function next(spots: readonly Spot[], from: number, direction: Direction): number | null {
  const start = spots[from];
  if (start === undefined) return null;
  const [right, up] = DIRECTIONS[direction];
  let found: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  spots.forEach(({ x, y }, index) => {
    const ahead = (x - start.x) * right + (y - start.y) * up;
    const aside = Math.abs((x - start.x) * up) + Math.abs((y - start.y) * right);
    if (index === from || ahead < 0 || aside > 2 * ahead) return;
    // Of documents on one spot the later follow the earlier, and none leads back.
    if (ahead === 0 && index < from) return;
    const cost = ahead + 2 * aside;
    if (cost < least) {
      least = cost;
      found = index;
    }
  });
  return found;
}
