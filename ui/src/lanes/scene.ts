// Everything that one picture is drawn from, and where things stand in it. Pure: no canvas, no document.

import { toColumn, toScreenX, toScreenY, toSlot, type Frame, type ViewState } from "./camera";
import type { Layout, Track } from "./layout";
import { CARD_GAP, cardBox, dotReach, levelAt, slotHeight, type CardBox, type Level } from "./levels";
import type { RecordTable } from "./table";

export interface Shown {
  table: RecordTable;
  layout: Layout;
  view: ViewState;
  frame: Frame;
  asOf: number | null;
  selected: number | null;
  hovered: number | null;
  hits: ReadonlySet<number> | null;
  textOf: (seq: number) => string | undefined;
  laneLabel: (lane: number) => string;
}

export interface Point {
  x: number;
  y: number;
}

export class Scene {
  readonly level: Level;
  readonly slotHeight: number;
  readonly card: CardBox;
  readonly reach: number;
  /** The first and the last slot in sight. */
  readonly firstSlot: number;
  readonly lastSlot: number;
  /** The columns in sight, not rounded. */
  readonly firstColumn: number;
  readonly lastColumn: number;

  constructor(readonly shown: Shown) {
    const { view, frame, layout } = shown;
    this.level = levelAt(view.zoom);
    this.slotHeight = slotHeight(view.zoom);
    this.card = cardBox(view.zoom);
    this.reach = dotReach(view.zoom);
    this.firstSlot = Math.max(0, Math.floor(toSlot(view, frame, frame.top)));
    this.lastSlot = Math.min(layout.slots - 1, Math.floor(toSlot(view, frame, frame.top + frame.height)));
    this.firstColumn = toColumn(view, frame, frame.left);
    this.lastColumn = toColumn(view, frame, frame.left + frame.width);
  }

  /** How many of a track's records are drawn: none that came after the point in time. */
  recorded(track: Track): number {
    const { table, asOf } = this.shown;
    return Math.min(track.to, table.countAsOf(table.lanes[track.lane]!, asOf));
  }

  /** Visits the tracks in sight, slot by slot, with how many records of their lane are drawn. */
  eachTrack(visit: (track: Track, recorded: number) => void): void {
    for (let slot = this.firstSlot; slot <= this.lastSlot; slot++) this.eachTrackIn(slot, visit);
  }

  eachTrackIn(slot: number, visit: (track: Track, recorded: number) => void): void {
    const { layout } = this.shown;
    const tracks = layout.tracksIn(slot);
    for (let i = layout.firstTrackFrom(slot, Math.floor(this.firstColumn)); i < tracks.length; i++) {
      const track = tracks[i]!;
      if (track.start > this.lastColumn) return;
      const recorded = this.recorded(track);
      if (recorded > track.from) visit(track, recorded);
    }
  }

  isDrawn(row: number): boolean {
    const { table, asOf, layout } = this.shown;
    return (asOf === null || table.seqAt(row) <= asOf) && layout.slotOf(row) >= 0;
  }

  x(column: number): number {
    return toScreenX(this.shown.view, this.shown.frame, column);
  }

  y(slot: number): number {
    return toScreenY(this.shown.view, this.shown.frame, slot);
  }

  /** The height of the line that connects the records of a slot. */
  lineY(slot: number): number {
    if (this.level === "cards") return Math.round(this.y(slot)) + this.card.above + 15;
    // Where lanes share a slot, their names stand above them.
    return Math.round(this.y(slot + 0.5)) + (this.shown.layout.mode === "order" ? 6 : 0);
  }

  cardX(column: number): number {
    return Math.round(this.x(column)) + CARD_GAP / 2;
  }

  cardY(slot: number): number {
    return Math.round(this.y(slot)) + this.card.above;
  }

  /** The middle of a dot, or of a card's upper edge. */
  middleX(column: number): number {
    return this.level === "cards" ? this.cardX(column) + Math.round(this.card.width / 2) : this.x(column + 0.5);
  }

  topY(slot: number): number {
    return this.level === "cards" ? this.cardY(slot) : this.lineY(slot) - this.reach - 1;
  }

  /** Where a branch leaves a record: its lower edge. */
  forkPoint(column: number, slot: number): Point {
    if (this.level === "cards") return { x: this.cardX(column) + 22, y: this.cardY(slot) + this.card.height };
    const y = this.level === "density" ? this.lineY(slot) + Math.ceil(this.barHeight / 2) : this.lineY(slot);
    return { x: Math.round(this.x(column + 0.5)), y };
  }

  /** Where a line enters a record from the left. */
  entryX(column: number): number {
    if (this.level === "cards") return this.cardX(column);
    return this.x(this.level === "dots" ? column + 0.5 : column);
  }

  /** At the level of density. */
  get barHeight(): number {
    return Math.round(this.slotHeight * 0.5);
  }

  isDimmed(seq: number): boolean {
    const { hits, selected } = this.shown;
    return hits !== null && hits.size > 0 && !hits.has(seq) && seq !== selected;
  }
}
