// @ts-check

/** A failure that one line explains to whoever typed the command; it is shown without a stack. */
export class PlainError extends Error {
  /** @override */
  name = "PlainError";
}
