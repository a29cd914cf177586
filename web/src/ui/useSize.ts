// The size of an element, as it changes.
import { type RefObject, useEffect, useState } from "react";

export interface Size {
  readonly width: number;
  readonly height: number;
}

const NO_SIZE: Size = { width: 0, height: 0 };

/** The size of an element, as it changes. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState(NO_SIZE);
  useEffect(() => {
    const watched = element.current;
    if (watched === null) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({ width: watched.clientWidth, height: watched.clientHeight }),
    );
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
