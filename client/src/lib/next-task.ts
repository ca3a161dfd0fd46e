/**
 * Lets the browser answer its reader before the work goes on: what follows runs in a task of its own.
 * The timer is set only after the caller has come to its end. Set in a module's own code, it would have the engine read
 * the whole module again for each tool that records where timers come from.
 */
export async function nextTask(): Promise<void> {
  await null;
  await new Promise<void>((resolve) => setTimeout(resolve));
}
