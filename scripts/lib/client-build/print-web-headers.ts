import { securityHeaders } from "./serve-client.ts";

/** Prints the web host's headers as a snippet for Caddy. */
const headers = securityHeaders(process.env.VITE_API_URL || "http://localhost:8000");
const lines = Object.entries(headers).map(([name, value]) => `\t${name} "${value}"`);
console.log(["header {", ...lines, "\t-Server", "}"].join("\n"));
