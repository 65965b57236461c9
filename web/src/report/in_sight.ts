// The current section, which fills the upper part of the window.
import { useEffect } from "preact/hooks";
import { isJumping } from "./jump.ts";

function found(ids: string[]): string {
  // At the end of the page, the last section is the current one, even if it is short.
  const { scrollHeight } = document.documentElement;
  if (scrollY > 0 && scrollY + innerHeight >= scrollHeight - 2) return ids.at(-1) ?? "";
  let current = ids[0] ?? "";
  for (const id of ids) {
    const top = document.getElementById(id)?.getBoundingClientRect().top;
    if (top !== undefined && top < innerHeight / 3) current = id;
  }
  return current;
}

/** Calls `moved` when the reader scrolls, with the section that is reached. */
export function useInSight(ids: string[], moved: (id: string) => void): void {
  const list = ids.join(" ");
  useEffect(() => {
    let last = "";
    const look = () => {
      if (isJumping()) return;
      const now = found(list.split(" "));
      if (now !== last) moved(now);
      last = now;
    };
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [list, moved]);
}
