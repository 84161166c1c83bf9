// The replay: the steps in which the tree was grown and pruned, one by one or played.

import type { Frame } from "../replay";
import type { Store } from "../store";
import { useStore } from "./context";

const SPEEDS = [0.5, 1, 2, 4, 8];

export function ReplayPanel() {
  const store = useStore();
  const say = store.say.value;
  const { frames } = store.film.value;
  const step = store.frame();
  const frame = frames[step];
  const last = frames.length - 1;
  const id = `${store.id}-speed`;
  // Disabled buttons would lose the focus, so those at an end only say that they are.
  const button = (key: string, to: number) => (
    <button
      type="button"
      aria-disabled={to === step || to < 0 || to > last}
      onClick={() => { store.pause(); if (to >= 0 && to <= last) store.goToFrame(to); }}
    >
      {say(key)}
    </button>
  );
  return (
    <>
      <h2>{say("view_replay_title")}</h2>
      <div class="tools">
        {button("view_first", 0)}
        {button("view_back", step - 1)}
        <span class="step">{`${step + 1} / ${frames.length}`}</span>
        {button("view_next", step + 1)}
        {button("view_last", last)}
      </div>
      <div class="tools">
        <button type="button" class="play" onClick={() => (store.isPlaying.value ? store.pause() : store.play())}>
          {say(store.isPlaying.value ? "view_pause" : "view_play")}
        </button>
        <label for={id}>{say("view_speed")}</label>
        <select id={id} value={String(store.speed.value)} onChange={(event) => { store.speed.value = Number(event.currentTarget.value); }}>
          {SPEEDS.map((speed) => <option key={speed} value={String(speed)}>{`${speed}×`}</option>)}
        </select>
      </div>
      {frame && <pre class="story">{story(store, frame)}</pre>}
    </>
  );
}

/** The words of a frame: those of the trace, or what can be said without one. */
function story(store: Store, frame: Frame): string {
  const say = store.say.value;
  const told = frame.text?.[store.lang.value];
  if (told) return told;
  if (frame.kind === "end") return say("view_replay_end", { n: store.tree.leaves[0] ?? 1 });
  return store.sentence(frame.node, store.film.value.grown);
}
