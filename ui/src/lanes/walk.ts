// Which record the keyboard goes to next. Pure.

import type { Scene } from "./scene";

export type Step = "next" | "previous" | "up" | "down" | "first" | "last" | "nextTen" | "previousTen";

const ALONG: Partial<Record<Step, number>> = { next: 1, previous: -1, nextTen: 10, previousTen: -10 };

/** The row that a step from `row` leads to; `row` itself at an end. */
export function stepped(scene: Scene, row: number, step: Step): number {
  const { table, layout } = scene.shown;
  const slot = layout.slotOf(row);
  if (slot < 0) return row;
  const lane = table.lanes[table.laneAt(row)]!;
  const recorded = table.countAsOf(lane, scene.shown.asOf);
  const place = table.placeAt(row);
  if (step === "first") return lane.rows.values[0]!;
  if (step === "last") return lane.rows.values[recorded - 1]!;
  const along = ALONG[step];
  if (along !== undefined) return lane.rows.values[Math.min(recorded - 1, Math.max(0, place + along))]!;
  const found = beside(scene, layout.columnOf(row), slot, step === "down" ? 1 : -1);
  return found < 0 ? row : found;
}

/** The record nearest to a column on the next track that has any. */
function beside(scene: Scene, column: number, slot: number, way: 1 | -1): number {
  const { layout } = scene.shown;
  for (let next = slot + way; next >= 0 && next < layout.slots; next += way) {
    const found = nearestIn(scene, next, column);
    if (found >= 0) return found;
  }
  return -1;
}

/** The record of a slot that is nearest to a column, -1 when there is none. */
export function nearestIn(scene: Scene, slot: number, column: number): number {
  const { table, layout } = scene.shown;
  const tracks = layout.tracksIn(slot);
  const at = layout.firstTrackFrom(slot, column);
  let found = -1;
  let best = Infinity;
  for (let i = Math.max(0, at - 1); i <= at && i < tracks.length; i++) {
    const track = tracks[i]!;
    const recorded = scene.recorded(track);
    const after = Math.min(layout.placeFrom(track, column), recorded);
    for (let place = Math.max(track.from, after - 1); place <= after && place < recorded; place++) {
      const away = Math.abs(layout.columnAt(track, place) - column);
      if (away >= best) continue;
      best = away;
      found = table.lanes[track.lane]!.rows.values[place]!;
    }
  }
  return found;
}

/** The first record that is drawn, -1 when there is none. */
export function oldest(scene: Scene): number {
  const { table, layout, asOf } = scene.shown;
  const end = asOf === null ? table.size : table.rowFrom(asOf + 1);
  for (let row = 0; row < end; row++) if (layout.slotOf(row) >= 0) return row;
  return -1;
}

/** The newest record that is drawn, -1 when there is none. */
export function newest(scene: Scene): number {
  const { table, layout, asOf } = scene.shown;
  let row = asOf === null ? table.size - 1 : table.rowFrom(asOf + 1) - 1;
  while (row >= 0 && layout.slotOf(row) < 0) row--;
  return row;
}
