// Text and shapes. The widths of characters are measured once.

import { KINDS, shapes } from "./kinds";
import type { Palette } from "./palette";
import type { Surface } from "./surface";
import { cut, plain, wrapped, type Advance } from "./wrap";

const LATIN = 0x250;
/** Wrapped texts that are kept: more than any screen shows. */
const KEPT = 1500;

interface Wrapped {
  source: string;
  width: number;
  most: number;
  lines: string[];
}

interface Atlas {
  canvas: HTMLCanvasElement;
  tile: number;
}

export class Pen {
  readonly small: string;
  readonly body: string;
  readonly strong: string;
  readonly code: string;
  readonly title: string;
  readonly #advances = new Map<string, Advance>();
  readonly #wrapped = new Map<number, Wrapped>();

  constructor(
    readonly surface: Surface,
    readonly palette: Palette,
  ) {
    this.small = `12px ${palette.font}`;
    this.body = `13px ${palette.font}`;
    this.strong = `500 13px ${palette.font}`;
    this.code = `12px ${palette.mono}`;
    this.title = `500 18px ${palette.font}`;
  }

  /** Writes one line, shortened to a width; answers how wide it came out. */
  write(text: string, font: string, colour: string, x: number, y: number, width = Infinity): number {
    const { surface } = this;
    const shown = width === Infinity ? text : cut(text, width, this.#advance(font));
    surface.font = font;
    surface.fillStyle = colour;
    surface.fillText(shown, x, y);
    return this.width(shown, font);
  }

  width(text: string, font: string): number {
    const advance = this.#advance(font);
    let sum = 0;
    for (const character of text) sum += advance(character);
    return sum;
  }

  /** The lines of a record's text for a card. Kept until the width or the text changes. */
  lines(seq: number, source: string, width: number, most: number): readonly string[] {
    const known = this.#wrapped.get(seq);
    if (known && known.source === source && known.width === width && known.most === most) return known.lines;
    if (this.#wrapped.size > KEPT) this.#wrapped.clear();
    const lines = wrapped(plain(source), width, most, this.#advance(this.body));
    this.#wrapped.set(seq, { source, width, most, lines });
    return lines;
  }

  /** A kind's shape around a point. */
  mark(kind: number, x: number, y: number, reach: number): void {
    paintShape(this.surface, kind, x, y, reach, this.palette.kinds[kind]!);
  }

  #advance(font: string): Advance {
    const known = this.#advances.get(font);
    if (known) return known;
    const latin = new Float32Array(LATIN).fill(-1);
    const others = new Map<string, number>();
    const measure = (character: string) => {
      this.surface.font = font;
      return this.surface.measureText(character).width;
    };
    const advance = (character: string) => {
      const code = character.charCodeAt(0);
      if (code < LATIN) return latin[code]! >= 0 ? latin[code]! : (latin[code] = measure(character));
      let width = others.get(character);
      if (width === undefined) others.set(character, (width = measure(character)));
      return width;
    };
    this.#advances.set(font, advance);
    return advance;
  }
}

/** A pen for a canvas: shapes are painted once for each size, and stamped from then on. */
export class StampedPen extends Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #ratio: number;
  readonly #atlases = new Map<number, Atlas>();

  constructor(context: CanvasRenderingContext2D, palette: Palette, ratio: number) {
    super(context, palette);
    this.#context = context;
    this.#ratio = ratio;
  }

  override mark(kind: number, x: number, y: number, reach: number): void {
    const step = Math.round(reach * 2) / 2;
    const { canvas, tile } = this.#atlas(step);
    const ratio = this.#ratio;
    const left = Math.round(x * ratio - tile / 2) / ratio;
    const top = Math.round(y * ratio - tile / 2) / ratio;
    this.#context.drawImage(canvas, kind * tile, 0, tile, tile, left, top, tile / ratio, tile / ratio);
  }

  #atlas(reach: number): Atlas {
    const known = this.#atlases.get(reach);
    if (known) return known;
    const tile = Math.ceil((reach * 1.3 + 1) * 2 * this.#ratio);
    const canvas = document.createElement("canvas");
    canvas.width = tile * KINDS.length;
    canvas.height = tile;
    const context = canvas.getContext("2d")!;
    context.scale(this.#ratio, this.#ratio);
    const size = tile / this.#ratio;
    for (let kind = 0; kind < KINDS.length; kind++) {
      paintShape(context, kind, (kind + 0.5) * size, size / 2, reach, this.palette.kinds[kind]!);
    }
    const atlas = { canvas, tile };
    this.#atlases.set(reach, atlas);
    return atlas;
  }
}

function paintShape(surface: Surface, kind: number, x: number, y: number, reach: number, colour: string): void {
  const shape = shapes[kind]!;
  surface.beginPath();
  if ("corners" in shape) {
    for (let i = 0; i < shape.corners.length; i += 2) surface.lineTo(x + shape.corners[i]! * reach, y + shape.corners[i + 1]! * reach);
    surface.closePath();
    surface.fillStyle = colour;
    surface.fill();
    return;
  }
  const thick = Math.max(1.2, reach * 0.42);
  const isHollow = shape.circle === "hollow";
  surface.arc(x, y, isHollow ? reach - thick / 2 : reach, 0, 2 * Math.PI);
  surface.fillStyle = surface.strokeStyle = colour;
  surface.lineWidth = thick;
  if (isHollow) surface.stroke();
  else surface.fill();
}
