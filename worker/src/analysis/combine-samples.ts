import { type Advice, type AdviceReply, NO_TRADE } from "./analyst.ts";
import type { AnalystCall, Votes } from "./analyst-call.ts";

type AcceptedCall = AnalystCall & { checked: { accepted: true } };

const isAccepted = (call: AnalystCall): call is AcceptedCall => call.checked.accepted;

/**
 * One answer of several to the same question: the direction of more than half of them, with the levels and the words of
 * the sample in the middle. Without such a direction it is a WAIT. Rejected answers do not count.
 * @returns null if no answer was accepted
 */
export function combineSamples(calls: readonly AnalystCall[]): AnalystCall | null {
  const accepted = calls.filter(isAccepted);
  const votes: Votes = { BUY: 0, SELL: 0, WAIT: 0 };
  for (const { checked } of accepted) votes[checked.advice.final_signal] += 1;
  const agreeing = accepted.filter(
    ({ checked }) => votes[checked.advice.final_signal] > accepted.length / 2,
  );
  const [first] = accepted;
  if (!first) return null;
  const middle = middleOf(agreeing);
  if (!middle) return { ...withAdvice(first, NO_TRADE), votes };
  const confidence = meanConfidence(agreeing.map(({ checked }) => checked.advice.confidence));
  return { ...withAdvice(middle, { confidence }), votes };
}

function withAdvice(call: AcceptedCall, change: Partial<Advice>): AcceptedCall {
  const { reply, checked } = call;
  const said: AdviceReply = { ...reply, advice: { ...reply.advice, ...change } };
  return {
    ...call,
    reply: said,
    checked: { accepted: true, advice: { ...checked.advice, ...change } },
  };
}

/** That whose levels are nearest to those of all others; the earlier of two. */
function middleOf(calls: readonly AcceptedCall[]): AcceptedCall | undefined {
  const distances = calls.map((call) =>
    calls.reduce((sum, other) => sum + distance(call.checked.advice, other.checked.advice), 0),
  );
  return calls[distances.indexOf(Math.min(...distances))];
}

const distance = (a: Advice, b: Advice): number =>
  Math.abs((a.entry ?? 0) - (b.entry ?? 0)) +
  Math.abs((a.stop_loss ?? 0) - (b.stop_loss ?? 0)) +
  Math.abs((a.take_profit ?? 0) - (b.take_profit ?? 0));

/** A sample that is certain would outweigh all others. */
const MAX_CHANCE = 0.99;

/** The mean of their log-odds, as a percentage with one decimal. That of equal confidences is the same. */
function meanConfidence(confidences: readonly number[]): number {
  const [first = 0] = confidences;
  if (confidences.every((each) => each === first)) return first;
  const logOdds = confidences.map((percent) => {
    const chance = Math.min(Math.max(percent / 100, 1 - MAX_CHANCE), MAX_CHANCE);
    return Math.log(chance / (1 - chance));
  });
  const mean = logOdds.reduce((sum, each) => sum + each, 0) / logOdds.length;
  return Math.round(1_000 / (1 + Math.exp(-mean))) / 10;
}

/** Says why samples that disagree are a WAIT; empty where they agree. */
export function disagreementWarnings({ votes }: AnalystCall): string[] {
  if (!votes) return [];
  const counts = Object.entries(votes).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0 || counts.some(([, count]) => count > total / 2)) return [];
  const found = counts.map(([signal, count]) => `${count} ${signal}`).join(", ");
  return [`The ${total} answers of the model disagree (${found}), so this is a WAIT.`];
}
