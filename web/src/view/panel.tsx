// The panel beside the picture: details of the selected node, a row to try, and the replay.

import { TABS, type Tab } from "../address";
import { canReplay } from "../replay";
import { useStore } from "./context";
import { Details } from "./details";
import { ReplayPanel } from "./replay_panel";
import { RowForm } from "./row_form";

const TITLES: Record<Tab, string> = {
  details: "view_details", row: "view_what_if", replay: "view_replay",
};

export function Panel() {
  const store = useStore();
  const say = store.say.value;
  const tabs = TABS.filter((tab) => tab !== "replay" || canReplay(store.data));
  const now = tabs.includes(store.tab.value) ? store.tab.value : "details";
  const id = (tab: Tab, part: string) => `${store.id}-${part}-${tab}`;
  const keyed = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(now) + by + tabs.length) % tabs.length] ?? now;
    store.showTab(next);
    store.root.querySelector<HTMLElement>(`#${id(next, "tab")}`)?.focus();
  };
  return (
    <aside aria-label={say("view_panel")}>
      <div class="tabs" role="tablist" onKeyDown={keyed}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab}
            id={id(tab, "tab")}
            aria-selected={tab === now}
            aria-controls={id(tab, "panel")}
            tabindex={tab === now ? 0 : -1}
            onClick={() => store.showTab(tab)}
          >
            {say(TITLES[tab])}
          </button>
        ))}
      </div>
      {tabs.map((tab) => (
        <section key={tab} role="tabpanel" id={id(tab, "panel")} aria-labelledby={id(tab, "tab")} tabindex={0} hidden={tab !== now} class={tab}>
          {tab === now && (tab === "details" ? <Details /> : tab === "row" ? <RowForm /> : <ReplayPanel />)}
        </section>
      ))}
    </aside>
  );
}
