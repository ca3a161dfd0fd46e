// @ts-check
import { fileURLToPath } from "node:url";

/** The folder that holds package.json. */
export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));
