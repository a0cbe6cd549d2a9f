// One picture of the scene.

import { drawForks, drawLaneLines, drawRelations, drawRevisions, forkPath } from "./draw-edges";
import { drawCards, drawDensity, drawDots } from "./draw-nodes";
import { beyondIn, namePlace, stubPlace } from "./hit";
import type { Pen } from "./pen";
import type { Scene } from "./scene";

const EDGE = 16;
const NAME_BASELINE = 10;

export function drawScene(pen: Pen, scene: Scene, width: number, height: number): void {
  const { surface, palette } = pen;
  const { frame } = scene.shown;
  surface.fillStyle = palette.bg;
  surface.fillRect(0, 0, width, height);
  surface.save();
  surface.beginPath();
  surface.rect(frame.left, frame.top, width - frame.left, height - frame.top);
  surface.clip();
  drawForks(pen, scene);
  if (scene.level !== "density") drawLaneLines(pen, scene);
  if (scene.level === "density") drawDensity(pen, scene);
  else {
    drawRevisions(pen, scene);
    if (scene.level === "dots") drawDots(pen, scene);
    else drawCards(pen, scene);
    drawStubs(pen, scene);
    drawRelations(pen, scene);
    drawBeyond(pen, scene);
  }
  if (frame.left === 0 && scene.shown.layout.mode !== "snake") drawNamesWithin(pen, scene);
  if (scene.shown.layout.mode === "order") drawAsOf(pen, scene, height);
  surface.restore();
  if (frame.left > 0) drawLaneColumn(pen, scene, height);
  if (frame.top > 0) {
    surface.fillStyle = palette.bg;
    surface.fillRect(0, 0, width, frame.top);
  }
}

function drawStubs(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  for (const stub of scene.shown.layout.stubs) {
    const place = stubPlace(scene, stub);
    if (!place || place.x > scene.x(scene.lastColumn) || place.x + place.width < scene.x(scene.firstColumn)) continue;
    const [x, y] = [Math.round(place.x), Math.round(place.y)];
    surface.strokeStyle = palette.edge;
    surface.lineWidth = 1;
    surface.beginPath();
    if (scene.level === "cards") forkPath(surface, place.from, { x, y: y + place.height / 2 });
    else {
      surface.moveTo(place.from.x + 0.5, place.from.y + scene.reach);
      surface.lineTo(place.from.x + 0.5, y);
    }
    surface.stroke();
    surface.beginPath();
    surface.roundRect(x + 0.5, y + 0.5, place.width - 1, place.height - 1, 10);
    surface.fillStyle = palette.raised;
    surface.fill();
    surface.stroke();
    drawForkMark(pen, x + 10, y + place.height / 2);
    if (place.label) pen.write(place.label, pen.small, palette.text, x + 19, y + 14, place.width - 26);
  }
}

/** Which way to the lanes of which nothing is in sight. */
function drawBeyond(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  const { frame, table } = scene.shown;
  for (let slot = scene.firstSlot; slot <= scene.lastSlot; slot++) {
    const beyond = beyondIn(scene, slot);
    if (!beyond) continue;
    const isLeft = beyond.side === "left";
    const text = isLeft ? `‹ ${table.numberAt(beyond.row)}` : `${table.numberAt(beyond.row)} ›`;
    const width = Math.ceil(pen.width(text, pen.code));
    const x = isLeft ? frame.left + EDGE : frame.left + frame.width - EDGE - width;
    surface.fillStyle = palette.bg;
    surface.fillRect(x - 6, scene.lineY(slot) - 9, width + 12, 18);
    pen.write(text, pen.code, palette.text2, x, scene.lineY(slot) + 4);
  }
}

function drawForkMark(pen: Pen, x: number, y: number): void {
  const { surface, palette } = pen;
  surface.beginPath();
  surface.moveTo(x - 3.5, y - 4);
  surface.lineTo(x - 3.5, y + 1);
  surface.quadraticCurveTo(x - 3.5, y + 4, x, y + 4);
  surface.lineTo(x + 3.5, y + 4);
  surface.moveTo(x - 3.5, y - 4);
  surface.lineTo(x + 3.5, y - 4);
  surface.strokeStyle = palette.text2;
  surface.lineWidth = 1.25;
  surface.stroke();
}

/** Where the point in time stands among what was recorded. */
function drawAsOf({ surface, palette }: Pen, scene: Scene, height: number): void {
  const { table, asOf } = scene.shown;
  if (asOf === null || asOf >= table.lastSeq) return;
  surface.fillStyle = palette.accent;
  surface.fillRect(Math.round(scene.x(table.rowFrom(asOf + 1))), 0, 1, height);
}

/** The lanes' names in a column of their own, where each has a slot. */
function drawLaneColumn(pen: Pen, scene: Scene, height: number): void {
  const { surface, palette } = pen;
  const { layout, laneLabel, table, frame } = scene.shown;
  surface.fillStyle = palette.bg;
  surface.fillRect(0, 0, frame.left, height);
  surface.fillStyle = palette.line;
  surface.fillRect(frame.left - 1, 0, 1, height);
  const isTall = scene.slotHeight >= 44;
  for (let slot = scene.firstSlot; slot <= scene.lastSlot; slot++) {
    const track = layout.tracksIn(slot)[0]!;
    const recorded = scene.recorded(track);
    if (recorded === 0) continue;
    const y = scene.level === "cards" ? scene.lineY(slot) : scene.lineY(slot) + (isTall ? -6 : 0);
    pen.write(laneLabel(track.lane), pen.strong, palette.text, 16, y + 5, frame.left - 32);
    if (!isTall) continue;
    const fork = table.rowOf(table.lanes[track.lane]!.forkSeq);
    const from = fork >= 0 ? ` · from ${table.numberAt(fork)}` : "";
    pen.write(`${recorded.toLocaleString("en")}${from}`, pen.small, palette.text2, 16, y + 22, frame.left - 32);
  }
}

/** The lanes' names where they have no column. */
function drawNamesWithin(pen: Pen, scene: Scene): void {
  scene.eachTrack((track, recorded) => {
    const place = namePlace(scene, track, recorded);
    if (place) pen.write(place.label, pen.small, pen.palette.text2, place.x, place.y + NAME_BASELINE, place.room);
  });
}
