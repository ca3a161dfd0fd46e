import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { api, apiUrl } from "./fake-api.ts";
import "./jsdom-window.ts";

process.env.VITE_API_URL = apiUrl;

configure({
  // Elements that assistive technology cannot reach are rare here, and looking for them takes most of a query's time.
  defaultHidden: true,
  // Only a failure takes that long, but a busy machine may.
  asyncUtilTimeout: 30_000,
  getElementError: (message, { outerHTML }) => new Error(message ?? outerHTML.slice(0, 500)),
});

afterEach(async () => {
  cleanup();
  const { resetApp } = await import("./open-app.tsx");
  resetApp();
  api.reset();
});
