/** How many jobs a worker holds, and how many it may hold. */
export interface WorkerLoad {
  id: string;
  inFlight: number;
  capacity: number;
}

/** The workers that are less filled than `me`, each by its own capacity: the next job is theirs. */
export function freerWorkers(me: WorkerLoad, others: readonly WorkerLoad[]): WorkerLoad[] {
  return others.filter((other) => filling(other) < filling(me));
}

const filling = ({ inFlight, capacity }: WorkerLoad): number => inFlight / capacity;

/**
 * How many of the jobs that are ready `me` may take without holding more than its share of all, by what each worker may
 * hold: at least 1 if it has a place, as it is its turn.
 */
export function fairShare(options: {
  me: WorkerLoad;
  others: readonly WorkerLoad[];
  ready: number;
}): number {
  const { me, others, ready } = options;
  const places = me.capacity - me.inFlight;
  if (places <= 0) return 0;
  const workers = [me, ...others];
  const jobs = workers.reduce((sum, { inFlight }) => sum + inFlight, ready);
  const capacity = workers.reduce((sum, worker) => sum + worker.capacity, 0);
  const share = Math.floor((jobs * me.capacity) / capacity);
  return Math.max(1, Math.min(ready, places, share - me.inFlight));
}
