// Which part of the map is shown: places are within -1 and 1, with y upwards, pixels downwards.

export interface View {
  /** The place in the middle of the window. */
  readonly x: number;
  readonly y: number;
  /** Pixels for one unit of the map. */
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Pixel {
  readonly left: number;
  readonly top: number;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
}

const MARGIN_PIXELS = 32;
/** What the buttons at the side take of the window's width. */
const BUTTONS_PIXELS = 60;
const CLOSEST = 200;

/** All of the map, in the middle of the window. */
export function whole({ width, height }: Size): View {
  const room = Math.max(40, Math.min(width - 2 * BUTTONS_PIXELS, height - 2 * MARGIN_PIXELS));
  return { x: 0, y: 0, scale: room / 2 };
}

export function pixelOf({ x, y }: Spot, view: View, size: Size): Pixel {
  return {
    left: size.width / 2 + (x - view.x) * view.scale,
    top: size.height / 2 - (y - view.y) * view.scale,
  };
}

export function spotAt({ left, top }: Pixel, view: View, size: Size): Spot {
  return {
    x: view.x + (left - size.width / 2) / view.scale,
    y: view.y - (top - size.height / 2) / view.scale,
  };
}

export function moved(view: View, left: number, top: number): View {
  return within({ ...view, x: view.x - left / view.scale, y: view.y + top / view.scale });
}

/** Closer by a factor, with what is at a pixel staying there. */
export function zoomed(view: View, factor: number, at: Pixel, size: Size): View {
  const least = whole(size).scale / 2;
  const scale = Math.min(whole(size).scale * CLOSEST, Math.max(least, view.scale * factor));
  const spot = spotAt(at, view, size);
  const moving = { ...view, scale };
  const now = spotAt(at, moving, size);
  return within({ ...moving, x: view.x + spot.x - now.x, y: view.y + spot.y - now.y });
}

/** Moved as little as it takes to have a place in the window, not at its very edge. */
export function showing(view: View, spot: Spot, size: Size): View {
  const { left, top } = pixelOf(spot, view, size);
  const beyond = (at: number, room: number) =>
    at < MARGIN_PIXELS
      ? at - MARGIN_PIXELS
      : at > room - MARGIN_PIXELS
        ? at - room + MARGIN_PIXELS
        : 0;
  return moved(view, -beyond(left, size.width), -beyond(top, size.height));
}

/** Some of the map is always in the window. */
function within(view: View): View {
  const clipped = (at: number) => Math.min(1, Math.max(-1, at));
  return { ...view, x: clipped(view.x), y: clipped(view.y) };
}
