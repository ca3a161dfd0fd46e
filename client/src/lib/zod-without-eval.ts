/**
 * Tells zod, before any of it is loaded, not to compile its checks: the content policy forbids `eval`, and the browser
 * would report the attempt.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
