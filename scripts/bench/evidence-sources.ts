import { setTimeout as delay } from "node:timers/promises";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";

// A process with an exchange and a calendar: what they do for an answer must not delay the analyses that are timed.

/** Of every answer. */
const ANSWER_MS = 150;

process.once("disconnect", () => process.exit());
const exchange = await startFakeExchange();
exchange.behave("slow");
const calendar = await startHttpFake(async (_, response) => {
  await delay(ANSWER_MS);
  sendJson(response, []);
});
process.send?.({ exchangeUrl: exchange.url, calendarUrl: calendar.url, answerMs: ANSWER_MS });
