// The overview map: the whole picture small, with the part that is seen; a click or drag moves it.

import { useComputed } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { useStore } from "./context";

export function Overview() {
  const store = useStore();
  const { boxes, wide, high } = store.picture.value.scene;
  const ref = useRef<SVGSVGElement>(null);
  const d = useMemo(
    () => boxes.map((b) => `M${b.x | 0} ${b.y | 0}h${b.wide | 0}v${b.high | 0}h${-b.wide | 0}z`).join(""),
    [boxes],
  );
  const isNeeded = useComputed(() => {
    void [store.camera.look.value, store.camera.canvas.value, store.picture.value];
    return !store.camera.isWhole();
  });
  const view = useComputed(() => {
    const { x, y, k } = store.camera.look.value;
    const canvas = store.camera.canvas.value;
    return `M${-x / k} ${-y / k}h${canvas.wide / k}v${canvas.high / k}h${-canvas.wide / k}z`;
  });
  if (!isNeeded.value || boxes.length < 2) return null;
  const map = store.camera.map();
  const move = (event: PointerEvent) => {
    if (!(event.buttons & 1) || !ref.current) return;
    const box = ref.current.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width;
    store.camera.lookAt(across * wide, ((event.clientY - box.top) / box.height) * high);
  };
  return (
    <svg
      class="overview"
      ref={ref}
      aria-hidden="true"
      width={map.wide}
      height={map.high}
      preserveAspectRatio="none"
      viewBox={`0 0 ${wide} ${high}`}
      onPointerDown={(event) => { event.currentTarget.setPointerCapture(event.pointerId); move(event); }}
      onPointerMove={move}
    >
      <path class="boxes" d={d} />
      <path class="seen" d={view} />
    </svg>
  );
}
