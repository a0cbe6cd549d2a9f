// The graph on its canvases: draws when something changed, and tells what people do.

import { fitsDown, type ViewState } from "./camera";
import { laneName } from "./describe";
import { drawScene } from "./draw";
import { hitAt, stubPlace, type Hit } from "./hit";
import { listen, type Command } from "./input";
import { Layout, type Stub } from "./layout";
import { Packing } from "./packing";
import { perRowFor, roomFor } from "./levels";
import { cellAt, Minimap, minimapSize, type MinimapSize } from "./minimap";
import { readPalette, watchPalette } from "./palette";
import { StampedPen } from "./pen";
import { Scene } from "./scene";
import type { Hover, StageEvents, StageProps } from "./stage-props";
import { Steering } from "./steering";
import { WantedTexts } from "./texts";
import { Viewport } from "./viewport";
import { newest, oldest, stepped, type Step } from "./walk";

const LONGEST_FRAME = 64;

export class Stage {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #map: HTMLCanvasElement;
  readonly #minimap: Minimap;
  readonly #events: StageEvents;
  readonly #texts: WantedTexts;
  readonly #port: Viewport;
  readonly #steering: Steering;
  readonly #packing = new Packing();
  readonly #stops: (() => void)[];
  readonly #stillness = matchMedia("(prefers-reduced-motion: reduce)");
  #props: StageProps;
  #pen: StampedPen | null = null;
  #mapSize: MinimapSize | null = null;
  #hovered: number | null = null;
  /** The record to begin with, until it is there. */
  #opening: number | null = null;
  #frame = 0;
  #drawnAt = 0;
  #ratio = 0;

  constructor(canvas: HTMLCanvasElement, map: HTMLCanvasElement, props: StageProps, view: ViewState | null, events: StageEvents) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false })!;
    this.#map = map;
    this.#minimap = new Minimap(map);
    this.#props = props;
    this.#events = events;
    this.#port = new Viewport(this.#laidOut(1, 1));
    if (view) this.#port.ask(view);
    else this.#opening = props.selected;
    this.#steering = new Steering(this.#port, {
      moved: () => this.#moved(),
      letGo: () => this.#props.follow && events.follow(false),
      rested: (rested) => events.view(rested),
    });
    this.#texts = new WantedTexts((seqs) => events.needTexts(seqs), (seq) => this.#props.textOf(seq), () => this.#arrived());
    const resized = new ResizeObserver(() => this.#resized());
    resized.observe(canvas);
    this.#stops = [
      () => resized.disconnect(),
      () => this.#texts.stop(),
      () => this.#steering.stop(),
      watchPalette(() => this.#repaint()),
      listen(canvas, {
        pan: (dx, dy) => this.#steering.pan(dx, dy),
        wheel: (dy) => this.#wheel(dy),
        zoom: (factor, x, y) => this.#steering.zoom(factor, x, y),
        click: (x, y) => this.#click(x, y),
        hover: (x, y) => this.#hover(x, y),
        leave: () => this.#showHover(null),
      }),
      listen(map, { pan: (_dx, _dy, x, y) => this.#goTo(x, y), press: (x, y) => this.#goTo(x, y) }),
    ];
  }

  update(props: StageProps): void {
    const before = this.#props;
    this.#props = props;
    // A table that was read anew, or that has its first records, is the same to who looks at it.
    const isOther = before.table.size > 0 && props.table.lanes[0]?.stream !== before.table.lanes[0]?.stream;
    if (isOther || props.lane !== before.lane || props.mode !== before.mode) this.#port.release();
    if (props.selected !== before.selected) this.#opening = props.selected;
    this.changed();
    if (props.selected !== before.selected) this.#open();
  }

  /** The table has more, or is seen otherwise. */
  changed(): void {
    this.#port.head = this.#props.head;
    this.#port.setLayout(this.#laidOut(this.#port.width, this.#port.height));
    if (this.#port.isMoved) this.#open();
    this.redraw();
  }

  setView(view: ViewState): void {
    this.#port.ask(view);
    this.redraw();
  }

  redraw(): void {
    this.#frame ||= requestAnimationFrame((now) => this.#draw(now));
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    for (const stop of this.#stops) stop();
  }

  run(command: Command): void {
    const { selected, table } = this.#props;
    const row = selected === null ? -1 : table.rowOf(selected);
    switch (command.does) {
      case "step":
        return this.#step(row, command.step);
      case "pan":
        return this.#steering.pan(command.dx, command.dy);
      case "zoom":
        return this.#steering.zoomAround(row, command.factor);
      case "fit":
        return this.#steering.fit();
      case "open":
        return row < 0 ? this.#step(row, "last") : this.#events.open(selected!);
      case "clear":
        return this.#events.select(null);
      case "branches":
        return this.#showBranches(row);
      case "drill":
        return row < 0 ? undefined : this.#events.drill(table.laneAt(row));
      case "rise":
        return this.#events.rise();
    }
  }

  #laidOut(width: number, height: number): Layout {
    const { table, lane, mode } = this.#props;
    return new Layout(table, { lane, mode, room: roomFor(height), perRow: perRowFor(width), packing: this.#packing });
  }

  #scene(textOf = this.#props.textOf): Scene {
    const { table, asOf, selected, hits, laneLabel } = this.#props;
    const { layout, view, frame } = this.#port;
    const label = laneLabel ?? ((lane: number) => laneName(table, lane));
    return new Scene({ table, layout, view, frame, asOf, selected, hovered: this.#hovered, hits, textOf, laneLabel: label });
  }

  #resized(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = (this.#ratio = devicePixelRatio || 1);
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#port.resize(width, height);
    this.#pen = null;
    this.changed();
    // An emptied canvas is not left to be seen until the next frame.
    cancelAnimationFrame(this.#frame);
    this.#draw(performance.now());
  }

  #arrived(): void {
    this.#events.texts();
    this.redraw();
  }

  /** For what is told of a record in words. */
  #wantText(seq: number): void {
    if (this.#props.textOf(seq) === undefined) this.#texts.want(seq);
  }

  #repaint(): void {
    this.#pen = null;
    this.redraw();
  }

  #draw(now: number): void {
    this.#frame = 0;
    if (this.#port.width === 0 || this.#port.height === 0) return;
    const ratio = devicePixelRatio || 1;
    // A window that moved to another screen.
    if (ratio !== this.#ratio) return this.#resized();
    this.#pen ??= new StampedPen(this.#context, readPalette(this.#canvas), ratio);
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const isMoving = this.#move(Math.min(LONGEST_FRAME, now - this.#drawnAt));
    this.#drawnAt = now;
    const scene = this.#scene((seq) => {
      const text = this.#props.textOf(seq);
      if (text === undefined) this.#texts.want(seq);
      return text;
    });
    drawScene(this.#pen, scene, this.#port.width, this.#port.height);
    this.#mapSize = minimapSize(this.#port.view, this.#port.frame, this.#port.extent);
    this.#map.hidden = this.#mapSize === null;
    const isMapOld = this.#mapSize !== null && this.#minimap.draw(this.#pen.palette, scene, this.#mapSize, now);
    if (isMoving || isMapOld) this.redraw();
  }

  /** Whether the view is still on its way. */
  #move(milliseconds: number): boolean {
    const { follow, table } = this.#props;
    if (table.size === 0) return false;
    const last = follow ? newest(this.#scene()) : -1;
    if (!this.#port.isMoved && !this.#port.isLed) this.#begin(last);
    if (last >= 0) {
      this.#port.isMoved = true;
      this.#port.reveal(last);
    }
    return this.#port.advance(milliseconds, this.#stillness.matches);
  }

  /** Brings what was selected into sight as soon as it is there. */
  #open(): void {
    const row = this.#opening === null ? -1 : this.#props.table.rowOf(this.#opening);
    if (row < 0) return;
    this.#wantText(this.#opening!);
    this.#opening = null;
    this.#steering.reveal(row);
  }

  /** At the newest record when following, at the one that is asked for, otherwise with everything in sight. */
  #begin(last: number): void {
    const asked = this.#opening === null ? -1 : this.#props.table.rowOf(this.#opening);
    const row = last >= 0 ? last : asked;
    if (row < 0) return this.#port.home();
    this.#port.closeTo(row);
    this.#port.isMoved = true;
    this.#opening = null;
  }

  #moved(): void {
    this.#showHover(null);
    this.redraw();
  }

  /** A wheel that turns only up and down moves sideways where there is nothing below. */
  #wheel(dy: number): void {
    const isFlat = fitsDown(this.#port.view, this.#port.frame, this.#port.extent);
    this.#steering.pan(isFlat ? dy : 0, isFlat ? 0 : dy);
  }

  #goTo(x: number, y: number): void {
    if (!this.#mapSize) return;
    const { column, slot } = cellAt(this.#mapSize, this.#port.extent, x, y);
    this.#steering.centre(column, slot);
  }

  #step(row: number, step: Step): void {
    const scene = this.#scene();
    const begin = step === "first" ? oldest : newest;
    const next = row < 0 || scene.shown.layout.slotOf(row) < 0 ? begin(scene) : stepped(scene, row, step);
    if (next < 0) return;
    this.#steering.reveal(next);
    this.#events.select(this.#props.table.seqAt(next));
  }

  #click(x: number, y: number): void {
    const hit = hitAt(this.#scene(), x, y);
    switch (hit.what) {
      case "record":
        return this.#events.select(this.#props.table.seqAt(hit.row));
      case "lane":
        return this.#events.drill(hit.lane);
      case "beyond":
        return this.#steering.reveal(hit.row);
      case "stub":
        return this.#enter(hit.stub, x, y);
      case "nothing":
        return this.#events.select(null);
    }
  }

  #showBranches(row: number): void {
    const { table } = this.#props;
    const isAtRow = (stub: Stub) => row >= 0 && stub.lane === table.laneAt(row) && stub.place === table.placeAt(row);
    const stub = this.#port.layout.stubs.find(isAtRow);
    const place = stub && stubPlace(this.#scene(), stub);
    if (place) this.#enter(stub, place.x, place.y);
  }

  #enter(stub: Stub, x: number, y: number): void {
    if (stub.branches.length === 1) this.#events.drill(stub.branches[0]!);
    else this.#events.branches(stub, x, y);
  }

  #hover(x: number, y: number): void {
    const scene = this.#scene();
    const hit: Hit = hitAt(scene, x, y);
    this.#canvas.classList.toggle("pointed", hit.what !== "nothing");
    this.#showHover(hit.what === "record" ? { row: hit.row, x, y } : null, scene.level !== "cards");
  }

  #showHover(hover: Hover | null, isTold = true): void {
    const seq = hover ? this.#props.table.seqAt(hover.row) : null;
    if (seq === this.#hovered) return;
    this.#hovered = seq;
    if (seq !== null) this.#wantText(seq);
    this.#events.hover(isTold ? hover : null);
    this.redraw();
  }
}
