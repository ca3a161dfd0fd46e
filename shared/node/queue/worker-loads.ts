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
