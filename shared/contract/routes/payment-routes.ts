import { paymentDetailsUpdateSchema } from "@shared/contract/admin.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import { proofFormSchema } from "@shared/contract/files.ts";
import { offeredPaymentsSchema } from "@shared/contract/payment.ts";
import {
  offeredPlansSchema,
  planParamsSchema,
  planUpdateSchema,
} from "@shared/contract/plan-terms.ts";
import { z } from "zod";
import { OWN_PASSWORD_ERRORS } from "./account-routes.ts";
import { defineRoute, done, filenameParams, uploadedFile } from "./define-route.ts";

const image = {
  tag: "Files",
  access: "owner",
  scopes: ["read"],
  request: { params: filenameParams },
  responses: {
    200: {
      description: "The image.",
      contentType: "image/*",
      headers: { ETag: "For `If-None-Match`." },
    },
    304: { description: "The image has not changed." },
  },
  errors: ["not-found"],
} as const;

export const paymentRoutes = {
  getPaymentDetails: defineRoute("GET /payment-details", {
    tag: "Payments",
    summary: "Payment details",
    access: "public",
    responses: {
      200: {
        description: "Methods with an empty text are not offered.",
        schema: offeredPaymentsSchema,
      },
    },
  }),
  updatePaymentDetails: defineRoute("POST /admin/update-payment-details", {
    tag: "Administration",
    summary: "Change the payment details",
    description:
      "Omitted fields stay unchanged. Ten minutes after the sign-in and later, your own `password` is required, and a `code` if your second factor is on.",
    access: "admin",
    request: { body: paymentDetailsUpdateSchema },
    responses: { 200: done },
    errors: ["reauthentication-required", ...OWN_PASSWORD_ERRORS],
  }),
  getPlans: defineRoute("GET /plans", {
    tag: "Payments",
    summary: "Plans",
    access: "public",
    responses: {
      200: { description: "What each costs and contains.", schema: offeredPlansSchema },
    },
  }),
  updatePlan: defineRoute("PUT /admin/plans/:id", {
    tag: "Administration",
    summary: "Change a plan",
    description:
      "For payments that are accepted from now on. Ten minutes after the sign-in and later, your own `password` is required, and a `code` if your second factor is on.",
    access: "admin",
    request: { params: planParamsSchema, body: planUpdateSchema },
    responses: { 200: done },
    errors: ["reauthentication-required", ...OWN_PASSWORD_ERRORS],
  }),
  submitProof: defineRoute("POST /submit-payment-proof", {
    tag: "Payments",
    summary: "Submit a proof of payment",
    description: "Replaces an earlier one.",
    access: "user",
    limits: [{ name: "proof", points: 10, per: "hour", by: ["user"], notAfter: "invalid-input" }],
    request: {
      body: proofFormSchema,
      files: z.object({
        proof_image: uploadedFile(MESSAGES.proofIncomplete),
      }),
    },
    responses: { 201: { ...done, description: "The proof is stored." } },
  }),
  getProofImage: defineRoute("GET /payment_proofs/:filename", {
    ...image,
    summary: "Image of a proof of payment",
  }),
  getChartImage: defineRoute("GET /chart_uploads/:filename", {
    ...image,
    summary: "An uploaded chart image",
  }),
};
