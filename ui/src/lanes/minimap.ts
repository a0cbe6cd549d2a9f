// The whole in a corner, with the part that is in sight.

import type { Extent, Frame, ViewState } from "./camera";
import { columnsPerBar, Tally } from "./density";
import { slotHeight } from "./levels";
import type { Palette } from "./palette";
import type { Scene } from "./scene";

const WIDTH = 200;
const TALLEST = 96;
const LEAST = 28;
const INSET = 6;
/** While records come in, the whole is drawn anew no more often than this. */
const PAUSE = 250;
const NARROWEST_HOST = 480;

export interface MinimapSize {
  width: number;
  height: number;
}

/** None where everything is in sight anyway, or where there is no room. */
export function minimapSize(view: ViewState, frame: Frame, extent: Extent): MinimapSize | null {
  const isWide = extent.columns * view.zoom > frame.width * 1.05;
  const isTall = extent.slots * slotHeight(view.zoom) > frame.height * 1.05;
  if (frame.left + frame.width < NARROWEST_HOST || (!isWide && !isTall)) return null;
  return { width: WIDTH, height: Math.round(Math.min(TALLEST, Math.max(LEAST, extent.slots * 6 + 2 * INSET))) };
}

/** The cell under a point of the minimap. */
export function cellAt(size: MinimapSize, extent: Extent, x: number, y: number): { column: number; slot: number } {
  return {
    column: ((x - INSET) / (size.width - 2 * INSET)) * extent.columns,
    slot: ((y - INSET) / (size.height - 2 * INSET)) * extent.slots,
  };
}

export class Minimap {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #whole = document.createElement("canvas");
  readonly #tally = new Tally();
  #drawnFor: unknown[] = [];
  #drawnAt = -Infinity;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d")!;
  }

  /** Draws, and says whether it has to be called again because the whole is older than what it shows. */
  draw(palette: Palette, scene: Scene, size: MinimapSize, now: number): boolean {
    const { table, layout, asOf } = scene.shown;
    const state = [table.version, layout, asOf, palette, size.height];
    const isOld = state.some((part, i) => part !== this.#drawnFor[i]);
    const isOther = palette !== this.#drawnFor[3] || size.height !== this.#drawnFor[4];
    const isDue = isOther || now - this.#drawnAt > PAUSE;
    if (isOld && isDue) {
      this.#drawWhole(palette, scene, size);
      this.#drawnFor = state;
      this.#drawnAt = now;
    }
    this.#drawView(palette, scene, size);
    return isOld && !isDue;
  }

  #drawWhole(palette: Palette, scene: Scene, size: MinimapSize): void {
    const { table, layout } = scene.shown;
    const ratio = devicePixelRatio || 1;
    resize(this.#canvas, size, ratio);
    resize(this.#whole, size, ratio);
    const context = this.#whole.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const zoom = (size.width - 2 * INSET) / Math.max(1, layout.columns);
    const perBar = columnsPerBar(zoom);
    const bars = Math.ceil(layout.columns / perBar);
    const slot = (size.height - 2 * INSET) / Math.max(1, layout.slots);
    const thick = Math.min(8, Math.max(1, slot * 0.6));
    for (let at = 0; at < layout.slots; at++) {
      this.#tally.begin(0, bars, perBar);
      for (const track of layout.tracksIn(at)) this.#tally.add(table, layout, track, scene.recorded(track));
      for (let bar = 0; bar < bars; bar++) {
        const kind = this.#tally.prevailing(bar);
        if (kind < 0) continue;
        context.fillStyle = palette.kinds[kind]!;
        const width = Math.max(1, Math.min(perBar, layout.columns - bar * perBar) * zoom - (perBar === 1 && zoom > 4 ? 1 : 0));
        context.fillRect(INSET + bar * perBar * zoom, INSET + (at + 0.5) * slot - thick / 2, width, thick);
      }
    }
  }

  #drawView(palette: Palette, scene: Scene, size: MinimapSize): void {
    const context = this.#context;
    const ratio = devicePixelRatio || 1;
    const { view, frame, layout } = scene.shown;
    const zoom = (size.width - 2 * INSET) / Math.max(1, layout.columns);
    const slot = (size.height - 2 * INSET) / Math.max(1, layout.slots);
    const halfY = frame.height / scene.slotHeight / 2;
    const left = Math.max(1, INSET + scene.firstColumn * zoom);
    const right = Math.min(size.width - 1, INSET + scene.lastColumn * zoom);
    const top = Math.max(1, INSET + (view.y - halfY) * slot);
    const bottom = Math.min(size.height - 1, INSET + (view.y + halfY) * slot);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.surface;
    context.fillRect(0, 0, size.width, size.height);
    context.drawImage(this.#whole, 0, 0, size.width, size.height);
    context.fillStyle = palette.accent;
    context.globalAlpha = 0.1;
    context.fillRect(left, top, right - left, bottom - top);
    context.globalAlpha = 1;
    context.strokeStyle = palette.accent;
    context.lineWidth = 1.5;
    context.strokeRect(left, top, Math.max(4, right - left), Math.max(4, bottom - top));
  }
}

function resize(canvas: HTMLCanvasElement, size: MinimapSize, ratio: number): void {
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
  canvas.style.setProperty("width", `${size.width}px`);
  canvas.style.setProperty("height", `${size.height}px`);
}
