/** What stands on the page before the bot's code is there; apart from the other texts, which come with that code. */
export const botFrameMessages = {
  title: "Signal bot",
  lead: "Pick a market and a timeframe. The signal is sized to your amount and risk.",
  loading: "Loading the signal bot",
} as const;
