// Scrolls to a section. Sections above it are drawn on the way and become taller. So the section is
// kept in its place until they are drawn, or until the reader scrolls.

/** Milliseconds after which sections above it count as drawn. */
const patience = 3_000;

const taken = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

let release = () => {};
let jumping = false;

/** Whether the page is scrolling to a section. The sections that it passes are not the current one. */
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
