// How much is shown at which zoom. Zoom is the width of a column in pixels; the height of a slot follows from it.

export type Level = "density" | "dots" | "cards";

export const DOTS_FROM = 7;
export const CARDS_FROM = 148;
export const CARD_ZOOM = 248;
export const MOST_ZOOM = 460;

/** Zoom and the height of a slot at it, in between by the logarithm of the zoom. */
const HEIGHTS: readonly (readonly [zoom: number, height: number])[] = [
  [DOTS_FROM / 4, 36],
  [DOTS_FROM, 42],
  [32, 62],
  [CARDS_FROM - 1, 92],
  [CARDS_FROM, 124],
  [CARD_ZOOM, 140],
  [MOST_ZOOM, 208],
];

export function levelAt(zoom: number): Level {
  return zoom >= CARDS_FROM ? "cards" : zoom >= DOTS_FROM ? "dots" : "density";
}

export function slotHeight(zoom: number): number {
  const first = HEIGHTS[0]!;
  if (zoom <= first[0]) return first[1];
  for (let i = 1; i < HEIGHTS.length; i++) {
    const [high, tall] = HEIGHTS[i]!;
    if (zoom > high) continue;
    const [low, small] = HEIGHTS[i - 1]!;
    return small + ((tall - small) * Math.log(zoom / low)) / Math.log(high / low);
  }
  return HEIGHTS[HEIGHTS.length - 1]![1];
}

/** Half the size of a dot. */
export function dotReach(zoom: number): number {
  return Math.min(7.5, Math.max(2.5, zoom * 0.28));
}

/** What a card is made of, in pixels. */
export interface CardBox {
  width: number;
  height: number;
  /** Above the card within its slot: where arcs run. */
  above: number;
  lines: number;
}

export const CARD_GAP = 20;
export const CARD_PADDING = 12;
export const CARD_HEAD = 30;
export const LINE_HEIGHT = 18;

export function cardBox(zoom: number): CardBox {
  const slot = slotHeight(zoom);
  const above = 26;
  const lines = Math.max(1, Math.floor((slot - above - 10 - CARD_HEAD - 10) / LINE_HEIGHT));
  return { width: Math.round(zoom - CARD_GAP), height: CARD_HEAD + lines * LINE_HEIGHT + 10, above, lines };
}

/** How many lanes fit at the level of dots, with a word to each: more than these become stubs. */
export function roomFor(height: number): number {
  return Math.max(6, Math.floor((height - 24) / slotHeight(32)));
}

/** How many cards stand side by side. */
export function perRowFor(width: number): number {
  return Math.max(1, Math.floor((width - CARD_GAP) / CARD_ZOOM));
}
