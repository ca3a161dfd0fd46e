import type { ClientSession } from "mongoose";

/**
 * What the changes of one transaction leave for each other: a change that is committed together with an earlier one
 * does not find in the database yet what that one adds. Gone with the transaction.
 */
export class TransactionNotes<Note> {
  readonly #notesBySession = new WeakMap<ClientSession, Map<string, Note>>();

  get(session: ClientSession, key: string): Note | undefined {
    return this.#notesBySession.get(session)?.get(key);
  }

  set(session: ClientSession, key: string, note: Note): void {
    const notes = this.#notesBySession.get(session) ?? new Map<string, Note>();
    this.#notesBySession.set(session, notes.set(key, note));
  }
}
