// The frame of the lab: screens, language and colours; failures and progress.

import { useEffect, useRef } from "preact/hooks";
import type { Lang } from "../../../src/penjing/webapp/protocol";
import { useLab } from "./context";
import { share } from "./figures";
import { SCREENS } from "./lab";

export function Top() {
  const lab = useLab();
  const say = lab.say.value;
  const isDark = lab.root.dataset["theme"] === "dark";
  const other: Lang = lab.lang.value === "zh" ? "en" : "zh";
  return (
    <div class="top" role="banner">
      <h1>{say("title")}</h1>
      <nav aria-label={say("screens")}>
        {SCREENS.map((screen) => (
          <button
            key={screen}
            aria-current={lab.screen.value === screen ? "page" : undefined}
            disabled={!lab.canShow(screen)}
            onClick={() => lab.show(screen)}
          >
            {say(`screen_${screen}`)}
          </button>
        ))}
      </nav>
      <span class="choices">
        <button class="language" lang={other} onClick={() => { lab.lang.value = other; }}>
          {other === "zh" ? "中文" : "English"}
        </button>
        <button class="theme" onClick={() => { lab.theme.value = isDark ? "light" : "dark"; }}>
          {say(isDark ? "light" : "dark")}
        </button>
      </span>
    </div>
  );
}

/** A question that is answered before anything else is done. */
function Question() {
  const lab = useLab();
  const say = lab.say.value;
  const question = lab.question.value;
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => { if (question) ref.current?.showModal(); }, [question]);
  if (!question) return null;
  return (
    <dialog ref={ref} aria-labelledby="lab-question" onCancel={() => question.settle(false)}>
      <p id="lab-question">{say(question.key)}</p>
      <p class="acts">
        <button onClick={() => question.settle(true)}>{say("yes")}</button>
        <button onClick={() => question.settle(false)}>{say("no")}</button>
      </p>
    </dialog>
  );
}

/** One sentence about what went wrong, and the progress of what takes long. */
export function Notices() {
  const lab = useLab();
  const say = lab.say.value;
  const [failure, job] = [lab.failure.value, lab.job.value];
  return (
    <>
      <div role="alert" class={failure ? "failure" : "live"}>
        {failure && (
          <>
            <p>{lab.text(failure)}</p>
            <button onClick={() => { lab.failure.value = null; }}>{say("close")}</button>
          </>
        )}
      </div>
      {job?.isSlow && (
        <div class="progress">
          <label>
            {say("working")}{" "}
            {job.share === null ? <progress /> : <progress value={job.share} />}
          </label>
          {job.share !== null && <span>{say("progress", { share: share(job.share), n: job.leaves })}</span>}
          <button onClick={() => lab.cancel()}>{say("cancel")}</button>
        </div>
      )}
      <Question />
      <p class="live" role="status" aria-live="polite">{lab.spoken}</p>
    </>
  );
}
