// Moving the view by hand. Who moves it does not follow any more, and where it came to rest is told.

import { toScreenX, toScreenY, type ViewState } from "./camera";
import type { Viewport } from "./viewport";

const TOLD_AFTER = 250;

interface SteeringEvents {
  /** Something moved: draw. */
  moved(): void;
  /** The view was taken away from what is newest. */
  letGo(): void;
  rested(view: ViewState): void;
}

export class Steering {
  readonly #port: Viewport;
  readonly #events: SteeringEvents;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(port: Viewport, events: SteeringEvents) {
    this.#port = port;
    this.#events = events;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  pan(dx: number, dy: number): void {
    this.#takeOver();
    this.#port.pan(dx, dy);
    this.#moved();
  }

  centre(column: number, slot: number): void {
    this.#takeOver();
    this.#port.centre(column, slot);
    this.#moved();
  }

  /** At once, as a wheel turns. */
  zoom(factor: number, x: number, y: number): void {
    this.#port.zoomAt(factor, x, y);
    this.#moved();
  }

  /** Led there: around a record that is in sight, otherwise around the middle. */
  zoomAround(row: number, factor: number): void {
    const { frame, view, layout } = this.#port;
    let [x, y] = [frame.left + frame.width / 2, frame.top + frame.height / 2];
    if (row >= 0 && layout.slotOf(row) >= 0) {
      const px = toScreenX(view, frame, layout.columnOf(row) + 0.5);
      const py = toScreenY(view, frame, layout.slotOf(row) + 0.5);
      const isInSight = px > frame.left && px < frame.left + frame.width && py > frame.top && py < frame.top + frame.height;
      if (isInSight) [x, y] = [px, py];
    }
    this.#port.zoomAt(factor, x, y, true);
    this.#moved();
  }

  fit(): void {
    this.#takeOver();
    this.#port.fit();
    this.#moved();
  }

  /** To a record, when it is out of sight. */
  reveal(row: number): void {
    if (!this.#port.reveal(row)) return;
    this.#takeOver();
    this.#moved();
  }

  #takeOver(): void {
    this.#port.isMoved = true;
    this.#events.letGo();
  }

  #moved(): void {
    this.#events.moved();
    this.#timer ??= setTimeout(() => this.#tell(), TOLD_AFTER);
  }

  #tell(): void {
    this.#timer = this.#port.isLed ? setTimeout(() => this.#tell(), TOLD_AFTER) : null;
    if (this.#timer === null) this.#events.rested(this.#port.told);
  }
}
