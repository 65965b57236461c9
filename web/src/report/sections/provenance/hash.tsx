// The beginning of a hash. Pressing it copies the whole hash.
import { useState } from "preact/hooks";
import { toClipboard } from "../../table/clipboard.ts";

export function Hash({ value }: { value: unknown }) {
  const [said, setSaid] = useState("");
  if (typeof value !== "string" || value === "") return <>–</>;
  const digits = value.slice(value.indexOf(":") + 1);
  const copy = async () => {
    setSaid((await toClipboard(value)) ? " copied" : " not copied");
    setTimeout(() => setSaid(""), 2_000);
  };
  return (
    <>
      <button type="button" class="hash" title={`${value}: press to copy`} onClick={copy}>
        {digits.slice(0, 10)}
      </button>
      <small role="status">{said}</small>
    </>
  );
}
