/** Signals, and outcomes, that one transaction records at most. */
export const LEDGER_BATCH_SIZE = 200;
