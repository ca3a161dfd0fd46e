import {
  brandingUpdateSchema,
  publicBrandingSchema,
  storedBrandingSchema,
} from "@shared/contract/branding.ts";
import { z } from "zod";
import { OWN_PASSWORD_ERRORS } from "./account-routes.ts";
import { defineRoute, done, uploadedFile } from "./define-route.ts";

const administration = { tag: "Administration", access: "admin" } as const;

export const brandingRoutes = {
  getBranding: defineRoute("GET /branding", {
    tag: "Service",
    summary: "How the product presents itself",
    access: "public",
    responses: { 200: { description: "Name, looks and contacts.", schema: publicBrandingSchema } },
  }),
  getLogo: defineRoute("GET /branding/logo", {
    tag: "Service",
    summary: "The logo",
    access: "public",
    responses: { 200: { description: "The image.", contentType: "image/*" } },
    errors: ["not-found"],
  }),
  getManifest: defineRoute("GET /branding/manifest.webmanifest", {
    tag: "Service",
    summary: "The web manifest",
    description: "What an installed app is called. Its addresses are those of the web pages.",
    access: "public",
    responses: { 200: { description: "The manifest.", contentType: "application/manifest+json" } },
  }),
  getPreview: defineRoute("GET /branding/preview.png", {
    tag: "Service",
    summary: "The preview image of the web pages",
    description: "1200 × 630 pixels, with the name of the product.",
    access: "public",
    limits: [{ name: "preview-image", points: 60, per: "minute", by: ["address"] }],
    responses: { 200: { description: "The image.", contentType: "image/png" } },
  }),
  getStoredBranding: defineRoute("GET /admin/branding", {
    ...administration,
    summary: "What is stored of how the product presents itself",
    responses: { 200: { description: "Empty texts are defaults.", schema: storedBrandingSchema } },
  }),
  updateBranding: defineRoute("PUT /admin/branding", {
    ...administration,
    summary: "Change how the product presents itself",
    description:
      "Omitted fields stay unchanged. Ten minutes after the sign-in and later, your own `password` is required, and a `code` if your second factor is on: contacts lead customers.",
    request: { body: brandingUpdateSchema },
    responses: { 200: done },
    errors: ["reauthentication-required", ...OWN_PASSWORD_ERRORS],
  }),
  saveLogo: defineRoute("POST /admin/branding/logo", {
    ...administration,
    summary: "Replace the logo",
    description: "PNG, JPEG or WebP, which is encoded again. At most 256 KB then.",
    limits: [{ name: "logo", points: 30, per: "hour", by: ["user"] }],
    request: { files: z.object({ logo: uploadedFile("Choose an image.") }) },
    responses: { 200: done },
  }),
  deleteLogo: defineRoute("DELETE /admin/branding/logo", {
    ...administration,
    summary: "Delete the logo",
    responses: { 200: done },
  }),
};
