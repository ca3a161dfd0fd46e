/**
 * Computes something of an object once, and remembers it for as long as the object is there: for what is computed of
 * objects that are shared and never change, such as a series of candles that a hundred signals are made from.
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
