/** Which rows of a long list are in sight, with some more on either side so that a quick scroll shows no gap. */
export interface Rows {
  first: number;
  /** Behind the last. */
  end: number;
}

const SPARE = 12;
/** A list of up to this many is there as a whole, so that the browser's own search finds all of it. */
const SHORT = 200;

export function rowsInSight(count: number, rowHeight: number, scrolled: number, height: number): Rows {
  if (count <= SHORT) return { first: 0, end: count };
  const end = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + SPARE);
  return { first: Math.min(end, Math.max(0, Math.floor(scrolled / rowHeight) - SPARE)), end };
}
