// Long computations in small steps, so that the page responds in between.

/** Milliseconds of work before the page can respond. */
const slice = 12;

/** Runs the steps. Returns a function that ends the computation early. */
export function runSteps<T>(steps: Generator<void, T>, done: (result: T) => void): () => void {
  let timer = 0;
  const go = () => {
    const end = performance.now() + slice;
    while (performance.now() < end) {
      const step = steps.next();
      if (step.done) {
        done(step.value);
        return;
      }
    }
    timer = window.setTimeout(go);
  };
  timer = window.setTimeout(go);
  return () => window.clearTimeout(timer);
}
