import { register } from "node:module";

// For `--import`: gives `openapi-typescript` the compiler's former interface, which version 7 of TypeScript no longer has.

const resolve = `export const resolve = (name, context, next) =>
  next(name === "typescript" ? "@ts-morph/common/dist/typescript.js" : name, context);`;

register(`data:text/javascript,${encodeURIComponent(resolve)}`, import.meta.url);
