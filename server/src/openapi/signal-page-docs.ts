import { z } from "zod";
import type { RouteDoc } from "./route-doc.ts";

const signalId = z.object({ id: z.string().meta({ description: "The `signal_id`." }) });
const shareToken = z.object({ token: z.string().meta({ description: "Of the signal's link." }) });

export const SIGNAL_PAGE_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/signals/:id/since",
    tag: "Signals",
    summary: "What happened since a signal was made, and how that judged it",
    description: "For its owner, and for administrators.",
    access: "approved",
    params: signalId,
    answers: {
      200: {
        description: "Closed candles, oldest first; `judgement` is null while it is open.",
        schema: "SignalSince",
      },
    },
    refusals: ["not-found"],
  },
  {
    method: "post",
    path: "/signals/:id/share",
    tag: "Signals",
    summary: "Make a link that shows a signal to whoever has it",
    description: "The link before, if there is one, does not work any more.",
    access: "approved",
    params: signalId,
    answers: { 201: { description: "The token, which is shown this once.", schema: "ShareLink" } },
    refusals: ["not-found", "invalid-input"],
  },
  {
    method: "delete",
    path: "/signals/:id/share",
    tag: "Signals",
    summary: "Void the link to a signal",
    access: "approved",
    params: signalId,
    answers: { 200: { description: "It does not work any more.", schema: "ActionDone" } },
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/shared/:token",
    tag: "Signals",
    summary: "A signal that its owner shows to others",
    description: "Without anything of its owner. Not for search engines.",
    access: "public",
    params: shareToken,
    answers: {
      200: {
        description: "The signal, its candles, and how it was judged.",
        schema: "SharedSignal",
        headers: { "X-Robots-Tag": "`noindex`." },
      },
    },
    refusals: ["not-found"],
  },
];
