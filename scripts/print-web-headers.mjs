// @ts-check
// Prints the web host's headers as a snippet for Caddy; VITE_API_URL says where the API is.
import process from "node:process";
import { securityHeaders } from "./lib/client-build/serve-client.mjs";

const headers = securityHeaders(process.env.VITE_API_URL || "http://localhost:8000");
const lines = Object.entries(headers).map(([name, value]) => `\t${name} "${value}"`);
console.log(["header {", ...lines, "\t-Server", "}"].join("\n"));
