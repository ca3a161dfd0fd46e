import process from "node:process";
import { SingleBar } from "cli-progress";

/** How far a piece of work has come. */
export interface Progress {
  step(): void;
  end(): void;
}

const BAR_FORMAT = "{label} [{bar}] {value}/{total} · {eta_formatted} left";

/** Lines without a terminal: one for every tenth. */
const LINES = 10;

/** A bar on a terminal, a few lines anywhere else. */
export function startProgress(options: {
  label: string;
  total: number;
  say: (line: string) => void;
  stream?: NodeJS.WriteStream;
}): Progress {
  const { label, total, say, stream = process.stderr } = options;
  return stream.isTTY ? startBar({ label, total, stream }) : startLines({ label, total, say });
}

function startBar(options: { label: string; total: number; stream: NodeJS.WriteStream }): Progress {
  const { label, total, stream } = options;
  const bar = new SingleBar({
    format: BAR_FORMAT,
    stream,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    gracefulExit: false,
  });
  bar.start(total, 0, { label });
  return { step: () => bar.increment(), end: () => bar.stop() };
}

function startLines(options: {
  label: string;
  total: number;
  say: (line: string) => void;
}): Progress {
  const { label, total, say } = options;
  let done = 0;
  return {
    step() {
      done += 1;
      const isTenth = Math.floor((done * LINES) / total) > Math.floor(((done - 1) * LINES) / total);
      if (isTenth) say(`${label}: ${done} of ${total}`);
    },
    end: () => undefined,
  };
}
