// The page: heading, toolbar and legend above; the picture and the panel below.

import type { Store } from "../store";
import { Canvas } from "./canvas";
import { StoreContext, useStore } from "./context";
import { IcicleView } from "./icicle_view";
import { Legend } from "./legend";
import { ListView } from "./list_view";
import { Panel } from "./panel";
import { Toolbar } from "./toolbar";

const OTHERS = { icicle: IcicleView, list: ListView };

export function App({ store }: { store: Store }) {
  return (
    <StoreContext.Provider value={store}>
      <Page />
    </StoreContext.Provider>
  );
}

function Page() {
  const store = useStore();
  const { data } = store;
  return (
    <>
      <header>
        <h1>{data.title}</h1>
        <p class="facts">{data.facts[store.lang.value]}</p>
        <Toolbar />
        <Legend />
      </header>
      <main>
        <Canvas others={OTHERS} />
        <Panel />
      </main>
      <p class="live" role="status" aria-live="polite">{store.spoken}</p>
    </>
  );
}
