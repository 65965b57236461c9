// To a section and no further: what lies above it is drawn on the way and becomes taller, so the
// section is held in its place until it is, or until the reader scrolls.

/** Milliseconds: what has not been drawn by then was not on the way. */
const patience = 3_000;

const taken = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

let release = () => {};
let jumping = false;

/** Whether the page is on its way: what is passed is not where the reader is. */
export function isJumping(): boolean {
  return jumping;
}

export function jumpTo(id: string): void {
  const heading = document.getElementById(`${id}-title`);
  const main = document.querySelector("main");
  if (heading === null || main === null) return;
  release();
  const hold = () => heading.scrollIntoView({ behavior: "instant" });
  const observer = new ResizeObserver(hold);
  const timer = setTimeout(() => release(), patience);
  release = () => {
    jumping = false;
    observer.disconnect();
    clearTimeout(timer);
    for (const event of taken) window.removeEventListener(event, release);
  };
  for (const event of taken) window.addEventListener(event, release, { passive: true });
  jumping = true;
  observer.observe(main);
  hold();
  heading.focus({ preventScroll: true });
}
