import { z } from "zod";
import type { RouteDoc } from "./route-doc.ts";

const filename = z.object({ filename: z.string() });
const picture = {
  200: {
    description: "The picture.",
    contentType: "image/*",
    headers: { ETag: "For `If-None-Match`." },
  },
  304: { description: "It is still the one that the caller has." },
} as const;

export const PAYMENT_DOCS: readonly RouteDoc[] = [
  {
    method: "get",
    path: "/payment-details",
    tag: "Payments",
    summary: "How to pay",
    access: "public",
    answers: {
      200: { description: "Methods without a text are not offered.", schema: "PaymentDetails" },
    },
  },
  {
    method: "post",
    path: "/submit-payment-proof",
    tag: "Payments",
    summary: "Send the proof of a payment",
    description: "It takes the place of an earlier one.",
    access: "user",
    body: { schema: "ProofForm", types: ["multipart"], files: ["proof_image"] },
    answers: { 201: { description: "The proof is stored.", schema: "ActionDone" } },
    refusals: ["rate-limited"],
  },
  {
    method: "get",
    path: "/payment_proofs/:filename",
    tag: "Files",
    summary: "The picture of a payment proof",
    access: "owner",
    params: filename,
    answers: picture,
    refusals: ["not-found"],
  },
  {
    method: "get",
    path: "/chart_uploads/:filename",
    tag: "Files",
    summary: "An uploaded chart image",
    access: "owner",
    params: filename,
    answers: picture,
    refusals: ["not-found"],
  },
];
