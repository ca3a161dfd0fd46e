/**
 * Caches a value per object, for shared objects that never change, such as a series of candles of a hundred signals.
 */
export function memoizeWeak<Subject extends object, Value>(
  compute: (subject: Subject) => Value,
): (subject: Subject) => Value {
  const known = new WeakMap<Subject, { value: Value }>();
  return (subject) => {
    const remembered = known.get(subject) ?? { value: compute(subject) };
    known.set(subject, remembered);
    return remembered.value;
  };
}
