/** One field in which a signal and its recomputation are not the same; what is absent is undefined. */
export interface Difference {
  field: string;
  stored: unknown;
  recomputed: unknown;
}

/** Every difference of two JSON values, by the path of its field: `raw_ai.key_evidence.0`. */
export function differences(stored: unknown, recomputed: unknown, field = ""): Difference[] {
  if (!isBranch(stored) || !isBranch(recomputed)) {
    return Object.is(stored, recomputed) ? [] : [{ field, stored, recomputed }];
  }
  const names = new Set([...Object.keys(stored), ...Object.keys(recomputed)]);
  return [...names].flatMap((name) =>
    differences(stored[name], recomputed[name], field === "" ? name : `${field}.${name}`),
  );
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
