// Lines between records: along a lane, from a fork to its branch, back to what is revised, and, for the selected record,
// to all that it relates to.

import { kindIndex } from "./kinds";
import type { Pen } from "./pen";
import type { Point, Scene } from "./scene";
import { roundedLine, type Surface } from "./surface";

const CORNER = 12;
const REVISION = kindIndex("revision");

export function drawLaneLines(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  const { layout, table, asOf } = scene.shown;
  surface.beginPath();
  scene.eachTrack((track, recorded) => {
    const y = scene.lineY(track.slot) + 0.5;
    const from = Math.max(scene.x(scene.firstColumn), scene.entryX(layout.columnAt(track, track.from)));
    const to = Math.min(scene.x(scene.lastColumn), scene.entryX(layout.columnAt(track, recorded - 1)));
    if (to > from) {
      surface.moveTo(from, y);
      surface.lineTo(to, y);
    }
    const isMore = table.countAsOf(table.lanes[track.lane]!, asOf) > track.to;
    if (layout.mode === "snake" && isMore) turn(surface, scene, track.slot);
  });
  surface.strokeStyle = palette.edge;
  surface.lineWidth = 1;
  surface.stroke();
}

/** From the end of one row of the snake to the beginning of the next, through the room between them. */
function turn(surface: Surface, scene: Scene, slot: number): void {
  const last = scene.shown.layout.perRow - 1;
  const isCards = scene.level === "cards";
  const out = isCards ? scene.cardX(last) + scene.card.width : scene.x(last + 0.5);
  const into = isCards ? scene.cardX(0) : scene.x(0.5);
  const [y, below] = [scene.lineY(slot) + 0.5, scene.lineY(slot + 1) + 0.5];
  const between = Math.round(scene.y(slot + 1)) + (isCards ? 4 : 0) + 0.5;
  const [right, left] = [out + 10, into - 10];
  roundedLine(surface, [out, y, right, y, right, between, left, between, left, below, into, below], 6);
}

export function drawForks(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  const { layout, table } = scene.shown;
  surface.beginPath();
  for (const track of layout.forked()) {
    const lane = table.lanes[track.lane]!;
    if (scene.recorded(track) === 0) continue;
    const fork = table.rowOf(lane.forkSeq);
    const from = layout.slotOf(fork);
    if (Math.max(from, track.slot) < scene.firstSlot || Math.min(from, track.slot) > scene.lastSlot) continue;
    const start = scene.forkPoint(layout.columnOf(fork), from);
    const end = { x: scene.entryX(layout.columnAt(track, 0)), y: scene.lineY(track.slot) };
    if (start.x > scene.x(scene.lastColumn) + CORNER || end.x < scene.x(scene.firstColumn)) continue;
    forkPath(surface, start, end);
  }
  surface.strokeStyle = palette.edge;
  surface.lineWidth = 1;
  surface.stroke();
}

/** Down from a record, and around the corner into another line. */
export function forkPath(surface: Surface, from: Point, to: Point): void {
  const x = Math.round(from.x) + 0.5;
  const y = to.y + 0.5;
  const corner = Math.min(CORNER, Math.max(1, to.x - x), Math.abs(y - from.y));
  surface.moveTo(x, from.y);
  surface.lineTo(x, y > from.y ? y - corner : y + corner);
  surface.quadraticCurveTo(x, y, x + corner, y);
  surface.lineTo(Math.max(to.x, x + corner), y);
}

/** Each revision's arc to what it revises, above both, with the point at what is revised. */
export function drawRevisions(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  const { table, layout, asOf } = scene.shown;
  surface.beginPath();
  for (let nth = 0; nth < table.links.revisions; nth++) {
    const from = table.links.revisionFrom(nth);
    if (asOf !== null && from > asOf) continue;
    const source = table.rowOf(from);
    const target = table.rowOf(table.links.revisionTo(nth));
    if (source < 0 || target < 0) continue;
    const [fromSlot, toSlot] = [layout.slotOf(source), layout.slotOf(target)];
    if (fromSlot < 0 || toSlot < 0) continue;
    if (Math.max(fromSlot, toSlot) < scene.firstSlot || Math.min(fromSlot, toSlot) > scene.lastSlot) continue;
    const [fromColumn, toColumn] = [layout.columnOf(source), layout.columnOf(target)];
    if (Math.max(fromColumn, toColumn) < scene.firstColumn - 1 || Math.min(fromColumn, toColumn) > scene.lastColumn) continue;
    if (fromSlot === toSlot && scene.level === "cards") bracket(surface, scene, fromColumn, toColumn, fromSlot, nth);
    else arc(surface, scene, { x: fromColumn, y: fromSlot }, { x: toColumn, y: toSlot });
  }
  surface.strokeStyle = palette.kinds[REVISION]!;
  surface.lineWidth = 1.25;
  surface.globalAlpha = 0.8;
  surface.stroke();
  surface.globalAlpha = 1;
}

/** Above cards there is a strip for arcs; neighbours take different heights in it. */
function bracket(surface: Surface, scene: Scene, from: number, to: number, slot: number, nth: number): void {
  const top = scene.topY(slot);
  const y = top - 8.5 - (scene.shown.layout.mode === "order" ? 0 : (nth % 3) * 5);
  const right = Math.round(scene.middleX(from)) - 8.5;
  const left = Math.round(scene.middleX(to)) + 8.5;
  roundedLine(surface, [right, top, right, y, left, y, left, top - 1], 6);
  point(surface, left, top - 1);
}

function arc(surface: Surface, scene: Scene, from: Point, to: Point): void {
  const [x1, x2] = [scene.middleX(from.x), scene.middleX(to.x)];
  const [y1, y2] = [scene.topY(from.y), scene.topY(to.y)];
  const most = scene.level === "cards" ? scene.card.above + 6 : scene.slotHeight * 0.45;
  const rise = from.y === to.y ? Math.min(most, 8 + Math.abs(x1 - x2) * 0.25) * 1.3 : most;
  surface.moveTo(x1, y1);
  surface.bezierCurveTo(x1, y1 - rise, x2, y2 - rise, x2, y2 - 1);
  point(surface, x2, y2 - 1);
}

function point(surface: Surface, x: number, y: number): void {
  surface.moveTo(x - 3, y - 4);
  surface.lineTo(x, y);
  surface.lineTo(x + 3, y - 4);
}

/** What the selected record relates to and what relates to it, each with its word; revisions have their arcs. */
export function drawRelations(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  const { table, selected } = scene.shown;
  if (selected === null || scene.level === "density") return;
  const links = [...table.links.outOf(selected), ...table.links.into(selected)].filter((link) => link.type !== "revises");
  const words: { text: string; x: number; y: number }[] = [];
  surface.beginPath();
  for (const link of links) {
    const ends = [table.rowOf(link.from), table.rowOf(link.to)] as const;
    if (ends.some((row) => row < 0 || !scene.isDrawn(row))) continue;
    const [from, to] = ends.map((row) => anchor(scene, row)) as [Point, Point];
    const bend = Math.min(80, 24 + Math.hypot(to.x - from.x, to.y - from.y) * 0.2);
    surface.moveTo(from.x, from.y);
    surface.bezierCurveTo(from.x, from.y + bend, to.x, to.y + bend, to.x, to.y);
    words.push({ text: link.type.replace("_", " "), x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + bend * 0.75 });
  }
  surface.setLineDash([4, 3]);
  surface.strokeStyle = palette.accent;
  surface.lineWidth = 1.5;
  surface.stroke();
  surface.setLineDash([]);
  for (const word of words) tag(pen, word.text, word.x, word.y);
}

/** The lower edge's middle. */
function anchor(scene: Scene, row: number): Point {
  const { layout } = scene.shown;
  const [column, slot] = [layout.columnOf(row), layout.slotOf(row)];
  const y = scene.level === "cards" ? scene.cardY(slot) + scene.card.height : scene.lineY(slot) + scene.reach + 2;
  return { x: scene.middleX(column), y };
}

function tag(pen: Pen, text: string, x: number, y: number): void {
  const { surface, palette } = pen;
  const width = Math.ceil(pen.width(text, pen.small)) + 12;
  const [left, top] = [Math.round(x - width / 2), Math.round(y - 10)];
  surface.beginPath();
  surface.roundRect(left + 0.5, top + 0.5, width, 19, 4);
  surface.fillStyle = palette.raised;
  surface.fill();
  surface.strokeStyle = palette.accent;
  surface.lineWidth = 1;
  surface.stroke();
  pen.write(text, pen.small, palette.text, left + 6, top + 14);
}
