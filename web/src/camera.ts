// The camera: which part of a picture is seen, and how large.

import { batch, signal, type Signal } from "@preact/signals";

export interface Size {
  wide: number;
  high: number;
}

export interface Look {
  x: number;
  y: number;
  k: number;
}

interface Area extends Size {
  x: number;
  y: number;
}

const MAX_ZOOM = 4;
const MIN_ZOOM = 0.005;
/** A first view is not smaller than this, so that it can be read. */
export const READABLE = 0.6;
const EDGE = 12;
/** The overview map in the lower left corner is at most so large; a wide, flat one is stretched. */
const [MAP_WIDE, MAP_HIGH, LEAST_MAP] = [200, 110, 24];
/** What the buttons in the lower right corner cover. */
const BUTTONS_WIDE = 170;
export const BUTTONS_HIGH = 48;

export class Camera {
  /** Where the picture's origin is on the canvas, and the scale. */
  readonly look: Signal<Look> = signal({ x: 0, y: 0, k: 1 });
  readonly canvas: Signal<Size> = signal({ wide: 0, high: 0 });
  /** The extent of the picture. */
  picture: Size = { wide: 1, high: 1 };

  /** The scale at which the whole picture is seen, above the buttons. */
  #whole(): number {
    const { wide, high } = this.canvas.value;
    return Math.min(wide / this.picture.wide, (high - BUTTONS_HIGH) / this.picture.high);
  }

  /** The size of the overview map. */
  map(): Size {
    const { wide, high } = this.picture;
    const k = Math.min((this.canvas.value.wide < 600 ? MAP_WIDE / 2 : MAP_WIDE) / wide, MAP_HIGH / high);
    return { wide: wide * k, high: Math.max(LEAST_MAP, high * k) };
  }

  isWhole(): boolean {
    const { x, y, k } = this.look.value;
    const { wide, high } = this.canvas.value;
    const [right, low] = [x + this.picture.wide * k, y + this.picture.high * k];
    return x >= -1 && y >= -1 && right <= wide + 1 && low <= high + 1;
  }

  /** See the whole picture, as small as it must be. */
  fit(): void {
    this.#centre(Math.min(1, this.#whole()));
  }

  /** See as much as can be read, with the root at the top in the middle, or at the left. */
  start(root: Area & { across: boolean }): void {
    const k = Math.min(1, Math.max(READABLE, this.#whole()));
    const { wide, high } = this.canvas.value;
    if (k <= this.#whole()) this.#centre(k);
    else if (root.across) this.look.value = this.#held({ x: 0, y: high / 2 - (root.y + root.high / 2) * k, k });
    else this.look.value = this.#held({ x: wide / 2 - (root.x + root.wide / 2) * k, y: 0, k });
  }

  #centre(k: number): void {
    const { wide } = this.canvas.value;
    this.look.value = { x: (wide - this.picture.wide * k) / 2, y: 0, k };
  }

  zoom(by: number, x = this.canvas.value.wide / 2, y = this.canvas.value.high / 2): void {
    const old = this.look.value;
    const least = Math.max(MIN_ZOOM, Math.min(this.#whole(), 1) / 2);
    const k = Math.min(MAX_ZOOM, Math.max(least, old.k * by));
    const ratio = k / old.k;
    this.look.value = this.#held({ x: x - (x - old.x) * ratio, y: y - (y - old.y) * ratio, k });
  }

  pan(dx: number, dy: number): void {
    const { x, y, k } = this.look.value;
    this.look.value = this.#held({ x: x + dx, y: y + dy, k });
  }

  /** Move as little as brings an area into view. */
  reveal(area: Area): void {
    const { x, y, k } = this.look.value;
    const { wide, high } = this.canvas.value;
    const [dx, dy] = [
      inward(x + area.x * k, area.wide * k, wide),
      inward(y + area.y * k, area.high * k, high),
    ];
    if (dx || dy) this.look.value = { x: x + dx, y: y + dy, k };
    if (!this.isWhole()) this.#uncover(area);
  }

  /** Move an area up that lies under the map or the buttons in the lower corners. */
  #uncover(area: Area): void {
    const { x, y, k } = this.look.value;
    const { wide, high } = this.canvas.value;
    const map = this.map();
    const left = x + area.x * k;
    const covered = left < map.wide + EDGE ? map.high + 2 * EDGE
      : left + area.wide * k > wide - BUTTONS_WIDE ? BUTTONS_HIGH : 0;
    const up = high - covered - y - (area.y + area.high) * k;
    if (covered && up < 0) this.look.value = { x, y: y + Math.max(up, EDGE - y - area.y * k), k };
  }

  /** Bring a wide area into view, smaller if it must be, but never too small to read. */
  show(area: Area, important: Area): void {
    const { wide, high } = this.canvas.value;
    const room = Math.min((wide - 2 * EDGE) / area.wide, (high - 2 * EDGE) / area.high);
    batch(() => {
      if (room < this.look.value.k) {
        const { x, y, k } = this.look.value;
        const smaller = Math.max(Math.min(room, k), Math.min(READABLE, k));
        this.look.value = { x: (x / k) * smaller, y: (y / k) * smaller, k: smaller };
      }
      this.reveal(area);
      this.reveal(important);
    });
  }

  /** Put a point of the picture into the middle of the canvas. */
  lookAt(px: number, py: number): void {
    const { k } = this.look.value;
    const { wide, high } = this.canvas.value;
    this.look.value = this.#held({ x: wide / 2 - px * k, y: high / 2 - py * k, k });
  }

  /** Some of the picture always stays on the canvas. */
  #held({ x, y, k }: Look): Look {
    const { wide, high } = this.canvas.value;
    const [w, h] = [this.picture.wide * k, this.picture.high * k];
    const keep = 60;
    return {
      x: Math.min(wide - keep, Math.max(keep - w, x)),
      y: Math.min(high - keep, Math.max(keep - h, y)),
      k,
    };
  }
}

/** How far to move a span of a length so that it lies within a room. */
function inward(start: number, length: number, room: number): number {
  if (length > room - 2 * EDGE) return start > EDGE ? EDGE - start : start + length < room - EDGE
    ? room - EDGE - start - length : 0;
  if (start < EDGE) return EDGE - start;
  if (start + length > room - EDGE) return room - EDGE - start - length;
  return 0;
}
