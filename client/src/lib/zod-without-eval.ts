/** Must run before zod loads: compiled checks use `eval`, which the content policy forbids. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
