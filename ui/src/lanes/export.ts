// Pictures of a whole table to take away, drawn by the same strokes as on the screen.

import { fitZoom, type Frame } from "./camera";
import { laneName } from "./describe";
import { drawScene } from "./draw";
import { Layout, type Mode } from "./layout";
import { CARD_ZOOM, perRowFor, slotHeight } from "./levels";
import { Packing } from "./packing";
import { readPalette, type Palette } from "./palette";
import { Pen, StampedPen } from "./pen";
import { Scene } from "./scene";
import { SvgSurface } from "./svg";
import type { RecordTable } from "./table";

export interface PictureOptions {
  title?: string;
  asOf?: number | null;
  /** Only this lane. */
  lane?: number | null;
  mode?: Mode | "auto";
  /** Without texts there are dots instead of cards. */
  textOf?: (seq: number) => string | undefined;
  laneLabel?: (lane: number) => string;
  /** The page's colours where none are given. */
  palette?: Palette;
}

interface Picture {
  scene: Scene;
  title: string;
  width: number;
  height: number;
}

const WIDEST = 8000;
const TALLEST = 8000;
const NARROWEST = 640;
const SNAKE_WIDTH = 1280;
const NAMES = 152;
const HEAD = 56;
const EDGE = 16;
const DOT_ZOOM = 36;

export function toSvg(table: RecordTable, options: PictureOptions = {}): string {
  const picture = pictureOf(table, options);
  const surface = new SvgSurface(measured());
  paint(new Pen(surface, options.palette ?? pagePalette()), picture);
  return surface.toString(picture.width, picture.height, picture.title);
}

export async function toPng(table: RecordTable, options: PictureOptions = {}): Promise<Blob> {
  const picture = pictureOf(table, options);
  const { width, height } = picture;
  // Twice as fine while that is no more than a screen of today can show.
  const ratio = width * height * 4 <= 16_000_000 ? 2 : 1;
  const canvas = document.createElement("canvas");
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d", { alpha: false })!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(new StampedPen(context, options.palette ?? pagePalette(), ratio), picture);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))), "image/png");
  });
}

function pictureOf(table: RecordTable, options: PictureOptions): Picture {
  const { lane = null, mode = "auto", asOf = null, textOf, laneLabel } = options;
  const layout = new Layout(table, { lane, mode, room: Infinity, perRow: perRowFor(SNAKE_WIDTH), packing: new Packing() });
  const left = layout.mode === "depth" ? NAMES : 0;
  const wanted = textOf ? CARD_ZOOM : DOT_ZOOM;
  const most: Frame = { left, top: HEAD, width: WIDEST - left, height: TALLEST };
  const zoom = Math.min(wanted, fitZoom(most, layout));
  const width = Math.max(NARROWEST, Math.ceil(left + layout.columns * zoom + 2 * EDGE));
  const height = Math.min(TALLEST, Math.ceil(HEAD + layout.slots * slotHeight(zoom) + 2 * EDGE));
  const frame: Frame = { left, top: HEAD, width: width - left, height: height - HEAD };
  const view = {
    x: (frame.width / 2 - EDGE) / zoom,
    y: (frame.height / 2 - EDGE / 2) / slotHeight(zoom),
    zoom,
  };
  const scene = new Scene({
    table, layout, view, frame, asOf, selected: null, hovered: null, hits: null,
    textOf: textOf ? (seq) => textOf(seq) ?? "" : () => "",
    laneLabel: laneLabel ?? ((index) => laneName(table, index)),
  });
  const title = `${options.title ?? "Thoughtbox"}${asOf === null ? "" : `, as of #${asOf}`}`;
  return { scene, title, width, height };
}

function paint(pen: Pen, { scene, title, width, height }: Picture): void {
  drawScene(pen, scene, width, height);
  pen.write(title, pen.title, pen.palette.text, EDGE, 32, width - 2 * EDGE);
}

function pagePalette(): Palette {
  return readPalette(document.documentElement);
}

/** How wide a text is; estimated where there is no document to measure in. */
function measured(): (text: string, font: string) => number {
  const context = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  if (!context) return (text, font) => text.length * parseFloat(/[\d.]+px/.exec(font)?.[0] ?? "12") * 0.55;
  return (text, font) => {
    context.font = font;
    return context.measureText(text).width;
  };
}
