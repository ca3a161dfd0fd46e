import { confidenceWords } from "../../lib/confidence.ts";
import { useBot } from "./bot-store.ts";
import { useSignal } from "./signal-query.ts";
import { announcement } from "./texts.ts";

/** Tells screen readers how the newest request is going, in one sentence at a time. */
export function SignalAnnouncer({ analyzing }: { analyzing: boolean }) {
  const newest = useBot(({ tracked }) => tracked[0]);
  const analysis = useSignal(newest?.id ?? null)?.analysis;
  const name = newest ? `${newest.symbol} ${newest.timeframe}` : "";
  const text = () => {
    if (analyzing) return announcement.analyzing;
    if (!analysis) return "";
    const { final_signal: signal, confidence, calibrated_confidence: calibrated } = analysis;
    const words = confidenceWords({ signal, confidence, calibrated });
    return announcement.result({ signal, name, confidence: words });
  };
  return (
    <p role="status" className="sr-only">
      {text()}
    </p>
  );
}
