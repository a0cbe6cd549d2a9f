// Records themselves, at each level of detail.

import { columnsPerBar, Tally } from "./density";
import { KINDS, kindWords } from "./kinds";
import { CARD_HEAD, CARD_PADDING, LINE_HEIGHT } from "./levels";
import type { Pen } from "./pen";
import { HAS_ACTION, REVISES } from "./row";
import type { Scene } from "./scene";
import type { Surface } from "./surface";

const tally = new Tally();

/** Bars of one kind are as strong as the kind prevails, in so many steps. */
const STRENGTHS = 4;
/** Bars to be filled, by kind and strength, as x, y, width, height. */
const fills: number[][] = Array.from({ length: KINDS.length * STRENGTHS }, () => []);
/** Several streams at a time are the rule: one that makes up less than half of it has a full bar. */
const STEEP = 1.6;

/** A histogram per slot in the colours of the prevailing kinds. By order a bar is as tall as the slot's share of what
 *  was written then. By depth a lane has no gaps: all bars are as tall, and stronger the more one kind prevails. */
export function drawDensity(pen: Pen, scene: Scene): void {
  const { table, layout, view } = scene.shown;
  const isByOrder = layout.mode === "order";
  const size = columnsPerBar(view.zoom);
  const first = Math.max(0, Math.floor(scene.firstColumn / size));
  const bars = Math.max(0, Math.min(Math.ceil(layout.columns / size), Math.ceil(scene.lastColumn / size)) - first);
  const tall = scene.barHeight;
  for (const fill of fills) fill.length = 0;
  for (let slot = scene.firstSlot; slot <= scene.lastSlot; slot++) {
    tally.begin(first, bars, size);
    scene.eachTrackIn(slot, (track, recorded) => tally.add(table, layout, track, recorded));
    const base = scene.lineY(slot) + Math.round(tall / 2);
    for (let bar = 0; bar < bars; bar++) {
      const kind = tally.prevailing(bar);
      if (kind < 0) continue;
      const total = tally.total(bar);
      const x = Math.round(scene.x((first + bar) * size));
      const width = Math.max(1, Math.round(scene.x((first + bar + 1) * size)) - x - 1);
      const height = isByOrder ? Math.max(3, Math.round(tall * Math.min(1, STEEP * Math.sqrt(total / size)))) : tall;
      const strength = isByOrder ? STRENGTHS - 1 : Math.min(STRENGTHS - 1, Math.floor((tally.of(bar, kind) / total) * STRENGTHS));
      fills[kind * STRENGTHS + strength]!.push(x, base - height, width, height);
    }
  }
  fillBars(pen);
  markInDensity(pen, scene, tall);
}

function fillBars({ surface, palette }: Pen): void {
  fills.forEach((fill, i) => {
    if (fill.length === 0) return;
    surface.beginPath();
    for (let at = 0; at < fill.length; at += 4) surface.rect(fill[at]!, fill[at + 1]!, fill[at + 2]!, fill[at + 3]!);
    surface.fillStyle = palette.kinds[Math.floor(i / STRENGTHS)]!;
    surface.globalAlpha = 0.4 + (0.6 * (i % STRENGTHS)) / (STRENGTHS - 1);
    surface.fill();
  });
  surface.globalAlpha = 1;
}

/** What is selected and what was found, as ticks below and above the histogram. */
function markInDensity(pen: Pen, scene: Scene, tall: number): void {
  const { surface, palette } = pen;
  const { table, layout, hits, selected } = scene.shown;
  const tick = (seq: number, reach: number) => {
    const row = table.rowOf(seq);
    if (row < 0 || !scene.isDrawn(row)) return;
    const slot = layout.slotOf(row);
    if (slot < scene.firstSlot || slot > scene.lastSlot) return;
    const base = scene.lineY(slot) + Math.round(tall / 2);
    surface.fillRect(Math.round(scene.x(layout.columnOf(row) + 0.5)) - 1, base - tall - reach, 2, tall + 2 * reach);
  };
  surface.fillStyle = palette.hit;
  for (const seq of hits ?? []) tick(seq, 2);
  surface.fillStyle = palette.accent;
  if (selected !== null) tick(selected, 4);
}

export function drawDots(pen: Pen, scene: Scene): void {
  const { surface, palette } = pen;
  const { table, layout, view, selected, hovered, hits } = scene.shown;
  const { reach } = scene;
  const hasNumbers = view.zoom >= 30;
  const hasWords = view.zoom >= 84;
  scene.eachTrack((track, recorded) => {
    const rows = table.lanes[track.lane]!.rows.values;
    const to = Math.min(recorded, layout.placeFrom(track, scene.lastColumn + 1));
    const y = scene.lineY(track.slot);
    for (let place = layout.placeFrom(track, scene.firstColumn - 1); place < to; place++) {
      const row = rows[place]!;
      const seq = table.seqAt(row);
      const x = scene.x(layout.columnAt(track, place) + 0.5);
      if (hits?.has(seq)) {
        ring(surface, x, y, reach + 4, 3, palette.hit);
        ring(surface, x, y, reach + 6, 1, palette.text2);
      }
      if (seq === selected) ring(surface, x, y, reach + 5, 2, palette.accent);
      else if (seq === hovered) ring(surface, x, y, reach + 4, 1.5, palette.text2);
      const isDimmed = scene.isDimmed(seq);
      if (isDimmed) surface.globalAlpha = 0.35;
      pen.mark(table.kindAt(row), x, y, reach);
      if (isDimmed) surface.globalAlpha = 1;
      if (!hasNumbers) continue;
      surface.textAlign = "center";
      pen.write(`${table.numberAt(row)}`, pen.code, palette.text2, Math.round(x), y + reach + 15);
      if (hasWords) pen.write(kindWords[table.kindAt(row)]!, pen.small, palette.text2, Math.round(x), y + reach + 31);
      surface.textAlign = "start";
    }
  });
}

function ring(surface: Surface, x: number, y: number, reach: number, thick: number, colour: string): void {
  surface.beginPath();
  surface.arc(x, y, reach, 0, 2 * Math.PI);
  surface.strokeStyle = colour;
  surface.lineWidth = thick;
  surface.stroke();
}

export function drawCards(pen: Pen, scene: Scene): void {
  const { table, layout } = scene.shown;
  scene.eachTrack((track, recorded) => {
    const rows = table.lanes[track.lane]!.rows.values;
    const to = Math.min(recorded, layout.placeFrom(track, scene.lastColumn));
    for (let place = layout.placeFrom(track, scene.firstColumn - 1); place < to; place++) {
      drawCard(pen, scene, rows[place]!, scene.cardX(layout.columnAt(track, place)), scene.cardY(track.slot));
    }
  });
}

function drawCard(pen: Pen, scene: Scene, row: number, x: number, y: number): void {
  const { surface, palette } = pen;
  const { table, selected, hovered, hits, textOf } = scene.shown;
  const { width, height, lines } = scene.card;
  const seq = table.seqAt(row);
  const kind = table.kindAt(row);
  const isHit = hits?.has(seq) ?? false;
  const isSelected = seq === selected;
  surface.fillStyle = palette.surface;
  surface.strokeStyle = isSelected ? palette.accent : seq === hovered ? palette.text2 : palette.edge;
  surface.lineWidth = isSelected ? 2 : 1;
  surface.beginPath();
  surface.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, 4);
  surface.fill();
  surface.fillStyle = palette.kinds[kind]!;
  surface.fillRect(x + 1, y + 1, 3, height - 2);
  surface.stroke();

  const left = x + 4 + CARD_PADDING;
  const inner = width - 4 - 2 * CARD_PADDING;
  const isDimmed = scene.isDimmed(seq);
  if (isDimmed) surface.globalAlpha = 0.45;
  drawHead(pen, scene, row, left, y, inner, isHit);
  const text = textOf(seq);
  if (text === undefined) drawWaiting(pen, left, y + CARD_HEAD, inner, lines);
  else {
    const shown = pen.lines(seq, text, inner, lines);
    surface.font = pen.body;
    surface.fillStyle = palette.text;
    for (let i = 0; i < shown.length; i++) surface.fillText(shown[i]!, left, y + CARD_HEAD + 13 + i * LINE_HEIGHT);
  }
  if (isDimmed) surface.globalAlpha = 1;
}

function drawHead(pen: Pen, scene: Scene, row: number, left: number, y: number, inner: number, isHit: boolean): void {
  const { surface, palette } = pen;
  const { table } = scene.shown;
  const number = `${table.numberAt(row)}`;
  const numberWidth = pen.width(number, pen.code);
  const baseline = y + 20;
  if (isHit) {
    surface.fillStyle = palette.hit;
    surface.fillRect(left + inner - numberWidth - 5, y + 8, numberWidth + 10, 16);
  }
  pen.write(number, pen.code, isHit ? palette.onHit : palette.text2, Math.round(left + inner - numberWidth), baseline);
  pen.mark(table.kindAt(row), left + 5, y + 16, 4.5);
  pen.write(headWords(scene, row), pen.small, palette.text2, left + 16, baseline, inner - numberWidth - 28);
}

/** "decision · action", "revision of 4". */
function headWords(scene: Scene, row: number): string {
  const { table } = scene.shown;
  const flags = table.flagsAt(row);
  const word = kindWords[table.kindAt(row)]!;
  if (flags & REVISES) {
    const revised = table.links.outOf(table.seqAt(row)).find((link) => link.type === "revises");
    const target = revised ? table.rowOf(revised.to) : -1;
    if (target >= 0) return `${word} of ${table.numberAt(target)}`;
  }
  return flags & HAS_ACTION ? `${word} · action` : word;
}

/** Where a text will stand that has not come yet. */
function drawWaiting(pen: Pen, left: number, top: number, inner: number, lines: number): void {
  pen.surface.fillStyle = pen.palette.line;
  for (let i = 0; i < lines; i++) {
    pen.surface.fillRect(left, top + 5 + i * LINE_HEIGHT, i === lines - 1 ? inner * 0.55 : inner, 7);
  }
}
