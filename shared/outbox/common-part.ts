import { isDeepStrictEqual } from "node:util";

/** What several values have in common, and what is left of each; `undefined` if nothing is left. */
export interface SplitValues {
  common: unknown;
  own: unknown[];
}

/** Splits JSON values so that `joinParts(common, own[i])` is the value at `i`. Objects are split field by field. */
export function splitCommonPart(values: readonly unknown[]): SplitValues {
  const [first] = values;
  if (values.every((value) => isDeepStrictEqual(value, first))) {
    return { common: first, own: values.map(() => undefined) };
  }
  const objects = values.filter(isObject);
  if (objects.length < values.length) return { common: undefined, own: [...values] };
  const keys = [...new Set(objects.flatMap(Object.keys))];
  const fields = keys.map((key) => ({
    key,
    split: splitCommonPart(objects.map((object) => fieldOf(object, key))),
  }));
  const objectOf = (partOf: (split: SplitValues) => unknown) =>
    Object.fromEntries(
      fields.flatMap(({ key, split }) => {
        const part = partOf(split);
        return part === undefined ? [] : [[key, part]];
      }),
    );
  return {
    common: objectOf(({ common }) => common),
    own: values.map((_, index) => objectOf(({ own }) => own[index])),
  };
}

/** The whole value of a common part and an own part. */
export function joinParts(common: unknown, own: unknown): unknown {
  if (own === undefined) return common;
  if (!isObject(common) || !isObject(own)) return own;
  const fields = Object.entries(own).map(([key, part]) => [
    key,
    joinParts(fieldOf(common, key), part),
  ]);
  return { ...common, ...Object.fromEntries(fields) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldOf = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;
