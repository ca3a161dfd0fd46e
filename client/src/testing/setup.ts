// First: it changes what React finds when it is loaded.
import "./jsdom-window.ts";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { api, apiUrl, TEST_HEADER } from "./fake-api.ts";

process.env.VITE_API_URL = apiUrl;

configure({
  // Elements that assistive technology cannot reach are rare here, and looking for them takes most of a query's time.
  defaultHidden: true,
  // Only a failure takes that long, but a busy machine may.
  asyncUtilTimeout: 30_000,
  // The text of the page takes long to make, and is rarely needed.
  getElementError: (message, page) => new Error(message ?? page.outerHTML.slice(0, 500)),
});

const send = globalThis.fetch;
// Requests of an earlier test may arrive late.
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set(TEST_HEADER, api.currentTest);
  return send(input, { ...init, headers });
};

afterEach(async () => {
  cleanup();
  const { resetApp } = await import("./open-app.tsx");
  resetApp();
  api.reset();
});
