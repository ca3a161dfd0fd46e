import { Mutex } from "async-mutex";

const mutexesByOwner = new WeakMap<object, Map<string, Mutex>>();

/**
 * Runs `run` while it holds these keys of `owner` in this process. Keys are taken in sorted order to avoid deadlocks.
 */
export function withKeys<Result>(
  owner: object,
  keys: readonly string[],
  run: () => Promise<Result>,
): Promise<Result> {
  const inOrder = [...new Set(keys)].sort();
  return inOrder.reduceRight((inner, key) => () => withKey(owner, key, inner), run)();
}

async function withKey<Result>(
  owner: object,
  key: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const locks = mutexesByOwner.get(owner) ?? new Map<string, Mutex>();
  mutexesByOwner.set(owner, locks);
  const lock = locks.get(key) ?? new Mutex();
  locks.set(key, lock);
  try {
    return await lock.runExclusive(run);
  } finally {
    if (!lock.isLocked()) locks.delete(key);
  }
}
