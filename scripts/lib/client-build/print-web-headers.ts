import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { caddySnippet } from "./web-headers.ts";

/** Prints what the web host adds to its files, for Caddy. */
console.log(caddySnippet(loadWorkerSettings()));
