// Which part of the layout is in sight, and how that moves: by hand, along with what is newest, or to a record.
// Pure: time comes from outside.

import * as camera from "./camera";
import type { Extent, Frame, ViewState } from "./camera";
import type { Layout } from "./layout";
import { CARD_ZOOM, slotHeight } from "./levels";

/** The lanes' names stand in a column of this width where there is room for it. */
const GUTTER = 152;
const GUTTER_FROM = 640;
/** Where several streams are shown, following begins at this zoom. */
const MANY_ZOOM = 26;
/** Further than this many frames away one is put, not led. */
const FAR = 3;

export class Viewport {
  view: ViewState = { x: 0, y: 0, zoom: CARD_ZOOM };
  /** Until someone moves it, the view is the one that fits what there is. */
  isMoved = false;
  /** Kept free at the top. */
  head = 0;
  #target: ViewState | null = null;
  /** The view that a link asks for: clamped to what there is so far, while there is not all of it. */
  #asked: ViewState | null = null;
  #layout: Layout;
  #width = 0;
  #height = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  get layout(): Layout {
    return this.#layout;
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  get frame(): Frame {
    const left = this.#layout.mode === "depth" && this.#width >= GUTTER_FROM ? GUTTER : 0;
    const top = this.head;
    return { left, top, width: Math.max(1, this.#width - left), height: Math.max(1, this.#height - top) };
  }

  /** Whether it is on its way somewhere. */
  get isLed(): boolean {
    return this.#target !== null;
  }

  get extent(): Extent {
    return this.#layout;
  }

  resize(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
  }

  /** Keeps the lane in the middle where it is on the screen, when others come or go above it. */
  setLayout(layout: Layout): void {
    const before = this.#layout;
    this.#layout = layout;
    if (layout.mode !== before.mode && before.columns > 0) this.isMoved = false;
    if (!this.isMoved || layout.mode !== "depth") return;
    const slot = Math.min(before.slots - 1, Math.max(0, Math.floor(this.view.y)));
    const now = layout.slotOfLane(before.laneIn(slot));
    if (now < 0 || now === slot) return;
    this.view = { ...this.view, y: this.view.y + now - slot };
    if (this.#target) this.#target = { ...this.#target, y: this.#target.y + now - slot };
  }

  /** Back to the view of someone who has not moved it. */
  release(): void {
    this.isMoved = false;
    this.#target = this.#asked = null;
  }

  /** As a link asks for it. */
  ask(view: ViewState): void {
    this.#put(view);
    this.#asked = view;
  }

  pan(dx: number, dy: number): void {
    this.#put(this.#kept(camera.panned(this.view, dx, dy)));
  }

  centre(column: number, slot: number): void {
    this.#put(this.#kept({ x: column, y: slot, zoom: this.view.zoom }));
  }

  zoomAt(factor: number, x: number, y: number, isLed = false): void {
    const zoomed = this.#kept(camera.zoomedAt(this.#target ?? this.view, this.frame, this.extent, factor, x, y));
    if (!isLed) return this.#put(zoomed);
    this.#asked = null;
    this.isMoved = true;
    this.#target = zoomed;
  }

  /** Whether the record was out of sight, and the view is led to it. */
  reveal(row: number): boolean {
    const slot = this.#layout.slotOf(row);
    if (slot < 0) return false;
    const from = this.#target ?? this.view;
    const target = this.#kept(camera.revealed(from, this.frame, this.#layout.columnOf(row), slot));
    if (camera.isSameView(target, this.#kept(from))) return false;
    this.#asked = null;
    this.#target = target;
    return true;
  }

  /** The view of someone who has not moved it: everything. */
  home(): void {
    this.#target = null;
    this.view = this.#fitted();
  }

  /** One record close by, with what is around it. */
  closeTo(row: number): void {
    this.home();
    const slot = this.#layout.slotOf(row);
    if (slot < 0 || this.#layout.mode === "snake") return;
    const close = this.#layout.mode === "order" ? MANY_ZOOM : CARD_ZOOM;
    this.view = this.#kept({ x: this.#layout.columnOf(row) + 0.5, y: slot + 0.5, zoom: Math.max(this.view.zoom, close) });
  }

  fit(): void {
    this.isMoved = false;
    this.#asked = null;
    this.#target = this.#fitted();
  }

  /** Goes on towards where it is led; says whether there is more to go. */
  advance(milliseconds: number, isStill: boolean): boolean {
    const target = this.#target;
    if (target) {
      const away = Math.abs(target.x - this.view.x) * this.view.zoom;
      const isFar = away > this.frame.width * FAR && target.zoom === this.view.zoom;
      this.view = isStill || isFar ? target : camera.glided(this.view, target, milliseconds);
      if (camera.isSameView(this.view, target)) this.#target = null;
    }
    if (this.#target === null) this.view = this.#kept(this.#asked ?? this.view);
    return this.#target !== null;
  }

  /** The view rounded for a link. */
  get told(): ViewState {
    const { x, y, zoom } = this.view;
    const rounded = (value: number, digits: number) => Number(value.toPrecision(digits));
    return { x: rounded(x, 7), y: rounded(y, 5), zoom: rounded(zoom, 4) };
  }

  #put(view: ViewState): void {
    this.isMoved = true;
    this.#target = this.#asked = null;
    this.view = view;
  }

  #kept(view: ViewState): ViewState {
    const kept = camera.clamp(view, this.frame, this.extent);
    return camera.isSameView(kept, view) ? view : kept;
  }

  #fitted(): ViewState {
    const { frame, extent } = this;
    if (this.#layout.mode === "snake") {
      return this.#kept({ x: 0, y: 0, zoom: Math.max(CARD_ZOOM, (frame.width - 32) / this.#layout.perRow) });
    }
    const zoom = Math.min(CARD_ZOOM, camera.fitZoom(frame, extent));
    const halfDown = frame.height / slotHeight(zoom) / 2;
    return this.#kept({ x: 0, y: Math.min(halfDown, extent.slots / 2), zoom });
  }
}
