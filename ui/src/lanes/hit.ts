// What is under a point. Pure.

import { toColumn, toSlot } from "./camera";
import type { Stub, Track } from "./layout";
import type { Point, Scene } from "./scene";
import { nearestIn } from "./walk";

export type Hit =
  | { what: "record"; row: number }
  | { what: "stub"; stub: Stub }
  | { what: "lane"; lane: number }
  | { what: "beyond"; row: number }
  | { what: "nothing" };

const NOTHING: Hit = { what: "nothing" };
/** Dots are small: what is this near is meant. */
const NEAR = 9;

const STUB_HEIGHT = 20;
const STUB_DROP = 8;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function stubLabel(stub: Stub, branchName: (lane: number) => string): string {
  return stub.branches.length === 1 ? branchName(stub.branches[0]!) : `${stub.branches.length} branches`;
}

/** From this zoom on, dots have room for a stub's name below them. */
const NAMED_FROM = 100;
/** About as wide as a character: what is under a point is known without measuring text. */
const CHARACTER = 7.5;
const AROUND = 28;

interface StubPlace extends Box {
  label: string;
  /** Where the branches leave their record. */
  from: Point;
}

/** Where a stub's label stands, null when its record is not drawn. */
export function stubPlace(scene: Scene, stub: Stub): StubPlace | null {
  const { layout, table, view, laneLabel } = scene.shown;
  const row = table.lanes[stub.lane]!.rows.values[stub.place]!;
  if (scene.level === "density" || !scene.isDrawn(row)) return null;
  const from = scene.forkPoint(layout.columnOf(row), layout.slotOf(row));
  const isCards = scene.level === "cards";
  const label = isCards || view.zoom >= NAMED_FROM ? stubLabel(stub, laneLabel) : stub.branches.length > 1 ? `${stub.branches.length}` : "";
  const room = isCards ? scene.card.width - 44 : Math.max(STUB_HEIGHT + 14, view.zoom - 8);
  const width = label ? Math.min(room, AROUND + label.length * CHARACTER) : STUB_HEIGHT;
  const place = isCards ? { x: from.x + 12, y: from.y + 4 } : { x: from.x - width / 2, y: from.y + scene.reach + STUB_DROP };
  return { ...place, width, height: STUB_HEIGHT, label, from };
}

const NAME_HEIGHT = 14;
const NAME_EDGE = 16;
/** A name that would have to be narrower is left out. */
const LEAST_NAME = 72;
/** Behind a spell its slot is free for at least so many columns, and its name may run on there. */
const AFTER = 48;

/** Where a lane's name stands that has no column: above where it begins, or at the edge while it goes on. */
export function namePlace(scene: Scene, track: Track, recorded: number): (Box & { label: string; room: number }) | null {
  const { layout, laneLabel, view } = scene.shown;
  const left = (column: number) => (scene.level === "cards" ? scene.cardX(column) : scene.x(column));
  const begins = left(track.start);
  const ends = left(layout.columnAt(track, recorded - 1) + 1);
  const x = Math.round(Math.max(begins, Math.min(NAME_EDGE, ends - LEAST_NAME)));
  const room = Math.max(ends, begins + view.zoom * AFTER) - x - 8;
  if (room < LEAST_NAME) return null;
  const label = laneLabel(track.lane);
  return { x, y: Math.round(scene.y(track.slot)), width: Math.min(room, label.length * CHARACTER), height: NAME_HEIGHT, label, room };
}

function nameAt(scene: Scene, px: number, py: number, slot: number): number {
  let lane = -1;
  scene.eachTrackIn(slot, (track, recorded) => {
    const place = namePlace(scene, track, recorded);
    if (place && isWithin(place, px, py)) lane = track.lane;
  });
  return lane;
}

function isWithin(box: Box, px: number, py: number): boolean {
  return px >= box.x && px <= box.x + box.width && py >= box.y && py <= box.y + box.height;
}

/** The record of a lane that is nearest to what is in sight, where none of the lane is. */
interface Beyond {
  row: number;
  side: "left" | "right";
}

const BEYOND_WIDTH = 64;

export function beyondIn(scene: Scene, slot: number): Beyond | null {
  const { layout, table } = scene.shown;
  const lane = layout.laneIn(slot);
  const recorded = lane < 0 ? 0 : table.countAsOf(table.lanes[lane]!, scene.shown.asOf);
  if (recorded === 0) return null;
  const rows = table.lanes[lane]!.rows.values;
  if (layout.columnOf(rows[0]!) >= scene.lastColumn) return { row: rows[0]!, side: "right" };
  if (layout.columnOf(rows[recorded - 1]!) + 1 <= scene.firstColumn) return { row: rows[recorded - 1]!, side: "left" };
  return null;
}

export function hitAt(scene: Scene, px: number, py: number): Hit {
  const { layout, view, frame } = scene.shown;
  const slot = Math.floor(toSlot(view, frame, py));
  if (px < frame.left) return layout.laneIn(slot) >= 0 ? { what: "lane", lane: layout.laneIn(slot) } : NOTHING;
  for (const stub of layout.stubs) {
    const box = stubPlace(scene, stub);
    if (box && isWithin(box, px, py)) return { what: "stub", stub };
  }
  if (slot < 0 || slot >= layout.slots) return NOTHING;
  const named = frame.left === 0 && layout.mode !== "snake" ? nameAt(scene, px, py, slot) : -1;
  if (named >= 0) return { what: "lane", lane: named };
  const beyond = Math.abs(py - scene.lineY(slot)) <= STUB_HEIGHT / 2 ? beyondIn(scene, slot) : null;
  if (beyond) {
    const isNear = beyond.side === "left" ? px < frame.left + BEYOND_WIDTH : px > frame.left + frame.width - BEYOND_WIDTH;
    return isNear ? { what: "beyond", row: beyond.row } : NOTHING;
  }
  const row = scene.level === "cards" ? cardAt(scene, px, py, slot) : nearestAt(scene, px, py, slot);
  return row >= 0 ? { what: "record", row } : NOTHING;
}

function cardAt(scene: Scene, px: number, py: number, slot: number): number {
  const { layout, view, frame } = scene.shown;
  const column = Math.floor(toColumn(view, frame, px));
  const row = layout.rowAt(column, slot);
  if (row < 0 || !scene.isDrawn(row)) return -1;
  const x = scene.cardX(column);
  const y = scene.cardY(slot);
  return px >= x && px <= x + scene.card.width && py >= y && py <= y + scene.card.height ? row : -1;
}

function nearestAt(scene: Scene, px: number, py: number, slot: number): number {
  const { layout, view, frame } = scene.shown;
  const tall = scene.level === "density" ? scene.slotHeight / 2 : Math.max(NEAR, scene.reach + 4);
  if (Math.abs(py - scene.lineY(slot)) > tall) return -1;
  const column = toColumn(view, frame, px) - 0.5;
  const row = nearestIn(scene, slot, column);
  const away = row < 0 ? Infinity : Math.abs(layout.columnOf(row) - column) * view.zoom;
  return away <= Math.max(NEAR, scene.reach + 2) ? row : -1;
}
