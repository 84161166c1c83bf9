// The toolbar: views, folding, search, saving, language and colours.

import { VIEWS } from "../data";
import { useStore } from "./context";
import { savePng, saveSvg } from "./save";

export function Toolbar() {
  const store = useStore();
  const say = store.say.value;
  const view = store.view.value;
  return (
    <>
      <div class="tools" role="toolbar" aria-label={say("view_tools")}>
        {VIEWS.map((name) => (
          <button type="button" key={name} aria-pressed={view === name} onClick={() => store.showView(name)}>
            {say(`view_${name}`)}
          </button>
        ))}
        <button type="button" onClick={() => store.unfoldAll()}>{say("view_unfold")}</button>
        <button type="button" onClick={() => store.foldAll()}>{say("view_fold")}</button>
        {Object.keys(store.data.plots).length > 0 && (
          <button
            type="button"
            class="show-data"
            aria-pressed={store.show.value === "data"}
            onClick={() => store.showData(store.show.value !== "data")}
          >
            {say("view_data")}
          </button>
        )}
        <Search />
        <span class="others">
          <button type="button" disabled={view === "list"} onClick={() => saveSvg(store)}>{say("view_save_svg")}</button>
          <button type="button" disabled={view === "list"} onClick={() => void savePng(store)}>{say("view_save_png")}</button>
          <LanguageButton />
          <ThemeButton />
        </span>
      </div>
      {store.notice.value && <p class="notice">{store.notice}</p>}
    </>
  );
}

function Search() {
  const store = useStore();
  const say = store.say.value;
  const id = `${store.id}-search`;
  const isEmpty = !store.hits.value.length;
  const keyed = (event: KeyboardEvent) => {
    if (event.key === "Enter") store.goToNextHit(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") store.search("");
    else return;
    event.preventDefault();
  };
  return (
    <span class="search">
      <label for={id}>{say("view_search")}</label>
      <input
        type="search"
        id={id}
        value={store.query}
        placeholder={say("view_search_hint")}
        onInput={(event) => store.search(event.currentTarget.value)}
        onKeyDown={keyed}
      />
      <button type="button" aria-label={say("view_found_before")} aria-disabled={isEmpty} onClick={() => store.goToNextHit(-1)}>
        <Arrow d="M3 8l4-4 4 4" />
      </button>
      <button type="button" aria-label={say("view_found_after")} aria-disabled={isEmpty} onClick={() => store.goToNextHit(1)}>
        <Arrow d="M3 4l4 4 4-4" />
      </button>
      <span class="found-text">{store.foundText()}</span>
    </span>
  );
}

/** Icons are paths: fonts lack many signs. */
export function Arrow({ d }: { d: string }) {
  return (
    <svg class="icon" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

function LanguageButton() {
  const store = useStore();
  const other = store.languages.find((lang) => lang !== store.lang.value) ?? store.lang.value;
  return (
    <button type="button" class="language" lang={other} onClick={() => { store.lang.value = other; }}>
      {other === "zh" ? "中文" : "English"}
    </button>
  );
}

function ThemeButton() {
  const store = useStore();
  const other = store.colours.value === "dark" ? "light" : "dark";
  return (
    <button type="button" class="theme" onClick={() => { store.theme.value = other; }}>
      {store.say.value(`view_${other}`)}
    </button>
  );
}
