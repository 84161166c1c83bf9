// A button that chooses a file; the browser's own would be in the browser's language.

import { useRef } from "preact/hooks";

export function FileChoice({ id, label, take }: { id: string; label: string; take: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="choose-file" onClick={() => input.current?.click()}>{label}</button>
      <input ref={input} id={id} type="file" hidden onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        event.currentTarget.value = "";
        if (file) take(file);
      }} />
    </>
  );
}
