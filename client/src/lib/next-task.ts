/** Lets the browser answer its reader before the work goes on: what follows runs in a task of its own. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
