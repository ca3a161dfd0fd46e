import { MESSAGES } from "./constants.ts";

/** What a signal from recorded candles says in its warnings, and the bot page in its banner while signals are made from them. */
export const RECORDED_CANDLES = `${MESSAGES.demoDataPrefix} recorded candles shifted to the present, not live prices.`;

/** What a signal by the rule-based analyst says in its warnings, and the bot page in its banner while that analyst makes them. */
export const FIXED_RULES = `${MESSAGES.ruleBasedPrefix} fixed rules instead of an AI model.`;
