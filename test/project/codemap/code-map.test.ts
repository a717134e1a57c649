import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openHive } from "../../../src/api.ts"
import { gitRepo, writeFiles } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

async function project(files: Record<string, string>) {
  const dir = gitRepo(await tempProject(), files)
  const hive = await openHive(dir)
  return { dir, hive, codemap: hive.codemap }
}

type Scan = Awaited<ReturnType<Awaited<ReturnType<typeof project>>["codemap"]["scan"]>>

function importsIn({ edges }: Scan): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { from, to, kind } of edges) {
    const text = kind === "import" ? to : `${kind} ${to}`
    found[from] = found[from] === undefined ? text : `${found[from]}, ${text}`
  }
  return found
}

async function importsOf(files: Record<string, string>): Promise<Record<string, string>> {
  const { codemap } = await project(files)
  return importsIn(await codemap.scan())
}

describe("imports", () => {
  it("finds imports in every form, and not in comments or strings", async () => {
    const targets = Object.fromEntries([..."abcdefghijk"].map((name) => [`${name}.ts`, "export const x = 1"]))
    const main = `
      import x from "./a"
      import type { X } from "./b"
      import { type Y } from "./c"
      export * from "./d"
      export type { Z } from "./e"
      const f = await import("./f"); const g = require("./g.js"); import h = require("./h")
      type I = import("./i").I
      import "./j.js"
      // import "./k"
      const text = "import('./k')"; const more = \`require("./k")\`
      const computed = await import("./" + text)
      import react from "react"`
    expect(await importsOf({ ...targets, "main.ts": main })).toEqual({
      "main.ts":
        "a.ts, type b.ts, type c.ts, reexport d.ts, type e.ts, dynamic f.ts, require g.ts, require h.ts, type i.ts, j.ts",
    })
  })

  it("resolves imports as TypeScript does", async () => {
    const found = await importsOf({
      "tsconfig.base.json": `{ "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/app/*"], "//no": [], "one": ["src/one.ts"] } } }`,
      "tsconfig.json": `{ // comments are allowed\n "extends": "./tsconfig.base", /* and a last comma */ }`,
      "src/app/deep/index.tsx": "",
      "src/one.ts": "",
      "src/by-base.ts": "",
      "src/esm.mts": "",
      "src/folder/index.ts": `import "./"; import "../folder/"`,
      "src/folder/a.ts": `import "./"; import "."`,
      "packages/lib/package.json": `{ "name": "@me/lib", "exports": { ".": { "types": "./dist/a.d.ts", "import": "./src/index.ts" }, "./sub/*": "./src/sub/*.ts" } }`,
      "packages/lib/src/index.ts": `import "#inner"; import "@me/lib/sub/x"`,
      "packages/lib/src/sub/x.ts": "",
      "packages/own/package.json": `{ "name": "own", "imports": { "#inner": "./inner.js" } }`,
      "packages/own/inner.ts": "",
      "packages/own/main.ts": `import "#inner"`,
      "src/main.ts": `import "@app/deep"; import "one"; import "src/by-base"; import "./esm.mjs"; import "./folder"; import "@me/lib"`,
    })
    expect(found).toEqual({
      "packages/lib/src/index.ts": "packages/lib/src/sub/x.ts",
      "packages/own/main.ts": "packages/own/inner.ts",
      "src/folder/a.ts": "src/folder/index.ts",
      "src/main.ts":
        "src/app/deep/index.tsx, src/one.ts, src/by-base.ts, src/esm.mts, src/folder/index.ts, packages/lib/src/index.ts",
    })
  })

  it("reads only the script blocks of Vue and Svelte, with their lines", async () => {
    const { codemap } = await project({
      "App.vue": `<template><p>it's "import './no'"</p></template>
<!-- <script>import "./no"</script> -->
<script lang="ts">
import type { T } from "./types"
</script>
<script setup lang="ts" generic="X extends Map<string, number>">
import Other from "./Other.svelte" // TODO: lazy
const late = () => import("./late"); import("./what-a-bundler-makes")
</script>
<style>a { content: "import './no'" }</style>`,
      "Other.svelte": `<script>\n  import { late } from "./late.js"\n  export let name\n</script>\n<h1>{name}</h1>\n`,
      "main.ts": `import App from "./App.vue"`,
      "types.ts": "export type T = 1",
      "late.ts": "export const late = 1",
      "no.ts": "",
    })
    const scan = await codemap.scan()
    expect(importsIn(scan)).toEqual({
      "App.vue": "type types.ts, Other.svelte, dynamic late.ts",
      "Other.svelte": "late.ts",
      "main.ts": "App.vue",
    })
    expect([scan.notes, await codemap.inconsistencies()]).toEqual([[], []])
    expect(scan.todos.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual(["App.vue:7 lazy"])
  })

  it("resolves package names inside the workspace, and from packages that link a member", async () => {
    const found = await importsOf({
      "pnpm-workspace.yaml":
        "packages:\n  # all\n  - 'packages/**'\n  - \"!**/old\"\ncatalog:\n  - examples\n",
      "packages/lib/package.json": `{ "name": "lib", "exports": "./index.ts" }`,
      "packages/lib/index.ts": "",
      "packages/a/b/package.json": `{ "name": "app", "dependencies": { "lib": "1.0.0" } }`,
      "packages/a/b/in.ts": `import "lib"`,
      "packages/old/package.json": "{}",
      "packages/old/out.ts": `import "lib"`,
      "examples/linked/package.json": `{ "dependencies": { "lib": "workspace:*" } }`,
      "examples/linked/a.ts": `import "lib"`,
      "examples/bought/package.json": `{ "dependencies": { "lib": "1.0.0" } }`,
      "examples/bought/a.ts": `import "lib"`,
      "scripts/a.ts": `import "lib"`,
    })
    expect(Object.keys(found)).toEqual(["examples/linked/a.ts", "packages/a/b/in.ts", "scripts/a.ts"])
  })

  it("resolves a package whose built files are missing to its source", async () => {
    const found = await importsOf({
      "package.json": `{ "workspaces": ["packages/*"] }`,
      "packages/a/package.json": `{ "name": "@w/a", "exports": {
        ".": { "types": "./dist/types/index.d.ts", "import": "./dist/index.mjs" },
        "./sub": "./dist/esm/sub.js", "./types": "./dist/types/index.js", "./deep/*": "./dist/deep/*.js",
        "./entry": "./entry/dist/w-a-entry.cjs.js", "./gone": "./dist/gone.js" } }`,
      "packages/a/src/index.ts": `import "#own"`,
      "packages/a/src/sub.tsx": "",
      "packages/a/src/types/index.ts": "",
      "packages/a/src/deep/x.ts": "",
      "packages/a/src/entry.ts": "",
      "packages/main/package.json": `{ "name": "main", "main": "./lib/start.js" }`,
      "packages/main/src/start.ts": "",
      "packages/main/src/inner.ts": "",
      "packages/own/package.json": `{ "name": "own", "imports": { "#own": "./dist/own.js" } }`,
      "packages/own/src/index.ts": `import "#own"`,
      "packages/own/src/own.ts": "",
      "packages/built/package.json": `{ "name": "built", "main": "dist/index.js" }`,
      "packages/built/dist/index.js": "",
      "packages/built/src/index.ts": "",
      "packages/whole/package.json": `{ "name": "whole", "main": "dist/src/index.js" }`,
      "packages/whole/src/index.ts": "",
      "packages/b/package.json": `{ "name": "b" }`,
      "packages/b/1.ts": `import "@w/a"; import "@w/a/sub"; import "@w/a/types"; import "@w/a/deep/x"; import "@w/a/entry"`,
      "packages/b/2.ts": `import "@w/a/gone"; import "@w/a/index"; import "main/lib/nothing"`,
      "packages/b/3.ts": `import "main"; import "main/lib/inner"; import "built"; import "whole"`,
    })
    const short = Object.entries(found).map(([from, to]) =>
      [from, to].map((path) => path.replaceAll("packages/", "")),
    )
    expect(Object.fromEntries(short)).toEqual({
      "b/1.ts": "a/src/index.ts, a/src/sub.tsx, a/src/types/index.ts, a/src/deep/x.ts, a/src/entry.ts",
      "b/3.ts": "main/src/start.ts, main/src/inner.ts, built/dist/index.js, whole/src/index.ts",
      "own/src/index.ts": "own/src/own.ts",
    })
  })

  it("reports unresolved imports with their line, but not packages and ignored files", async () => {
    const { dir, codemap } = await project({
      ".gitignore": "made.ts\n",
      "a.ts": `import "react"\nimport "./gone"\nimport "./made"\nimport "./style.css"\nimport "node:fs"`,
      "style.css": "",
    })
    writeFiles(dir, { "made.ts": "" })
    const missing = { from: "a.ts", line: 2, spec: "./gone", kind: "import" }
    expect((await codemap.scan()).unresolved).toEqual([missing])
  })

  it("lists dependents, nearest first, and import cycles", async () => {
    const { codemap } = await project({
      "a.ts": "export function a(x: string): void {}",
      "b.ts": `import { a } from "./a"`,
      "c.ts": `import "./b"`,
      "d.ts": `import type { a } from "./a"`,
      "x.ts": `import "./y"`,
      "y.ts": `import "./x"`,
      "t.ts": `import type {} from "./u"`,
      "u.ts": `import type {} from "./t"`,
    })
    const { dependents, exports } = await codemap.graph("./a.ts")
    expect(dependents).toEqual([
      { path: "b.ts", distance: 1, kind: "import", through: "a.ts" },
      { path: "d.ts", distance: 1, kind: "type", through: "a.ts" },
      { path: "c.ts", distance: 2, kind: "import", through: "b.ts" },
    ])
    expect(exports).toMatchObject([{ name: "a", signature: "function a(x: string): void" }])
    expect((await codemap.scan()).cycles).toEqual([["x.ts", "y.ts"]])
    await expect(codemap.graph("none.ts")).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("a scan", () => {
  it("of a path returns its exports, todos and comments only", async () => {
    const { codemap } = await project({
      "src/a.ts":
        "/** Adds. */\nexport const add = (a: number, b: number): number => a + b\n// TODO(me): subtract\nexport class K {\n  run(x: string) {}\n}",
      "other.py": "# FIXME: slow\ndef f():\n    pass\n",
    })
    const { files, exports, todos } = await codemap.scan("src")
    expect(files).toMatchObject([{ path: "src/a.ts", language: "TypeScript" }])
    expect(exports).toMatchObject([
      { name: "add", line: 2, signature: "const add = (a: number, b: number): number" },
      { name: "K", line: 4, signature: "class K" },
    ])
    expect(todos).toMatchObject([
      { file: "src/a.ts", line: 3, tag: "TODO", text: "subtract", context: "export class K {" },
    ])
    expect((await codemap.todos()).map(({ file }) => file)).toEqual(["other.py", "src/a.ts"])
  })

  it.each([
    [
      "export async function f<T>(\n  a: T, // first\n  b?: string,\n): Promise<{ c: T }> { return c }",
      "f async function f<T>(a: T, b?: string): Promise<{ c: T }>",
    ],
    [
      "export const g = async ({ a }: { a: string }): Promise<void> => {}",
      "g const g = async ({ a }: { a: string }): Promise<void>",
    ],
    ["export const a: Map<string, number> = new Map()", "a const a: Map<string, number>"],
    [
      "const f = 1\nexport const { b, c: [d] } = f, e = 2",
      "b const { b, c: [d] } = f; d const { b, c: [d] } = f; e const e = 2",
    ],
    [
      "@Dec({ x: 1 })\nexport abstract class K<T> extends B implements C { m() {} }",
      "K abstract class K<T> extends B implements C",
    ],
    ["export interface I extends J { a: string; b(c: number): void }", "I interface I extends J { a, b }"],
    ["export enum E { A = 1, B }", "E enum E { A, B }"],
    ["export type F = (a: string) => void;", "F type F = (a: string) => void"],
    [
      "function x(a: number) {}\nexport { x as y }\nexport default x",
      "y function x(a: number); default function x(a: number)",
    ],
    ["export default function (a: string) {}", "default function (a: string)"],
    ["export default { a: 1 }", "default export default { a: 1 }"],
    ["export * as n from './o'\nexport { p } from './o'", "n n from ./o; p p from ./o"],
    ["function q(a) {}\nmodule.exports = { q, r: 1 }\nexports.s = 1", "q function q(a); r ; s "],
  ])("gives the exports of %s", async (text, expected) => {
    const { codemap } = await project({ "a.ts": text, "o.ts": "" })
    const { exports } = await codemap.scan("a.ts")
    expect(exports.map(({ name, signature = "" }) => `${name} ${signature}`).join("; ")).toBe(expected)
  })

  it("reads only changed files, and gives the difference since the last scan", async () => {
    const { dir, hive, codemap } = await project({
      "a.ts": "export const one = 1\nexport function f(a: string) {}",
      "b.ts": "export {}",
    })
    await hive.memory.save({ content: "a hive, so that the map is kept" })
    expect((await codemap.scan()).changed).toBe(0)
    writeFiles(dir, {
      "a.ts": `import "./c"\nexport function f(a: number) {}\n// TODO: more`,
      "c.ts": "export {}",
    })
    rmSync(join(dir, "b.ts"))
    // A second hive has no map in memory and reads the stored one.
    const other = await openHive(dir)
    const { files, since } = await other.codemap.diff()
    expect(since).not.toBeNull()
    const exports = { exports_removed: ["one"], exports_changed: ["f"] }
    expect(files).toMatchObject([
      { path: "a.ts", change: "changed", ...exports, imports_added: ["./c"], todos_added: ["TODO more"] },
      { path: "b.ts", change: "removed" },
      { path: "c.ts", change: "added" },
    ])
    expect((await other.codemap.scan()).changed).toBe(3)
    expect((await other.codemap.diff()).files).toEqual([])
  })

  it("survives hostile files, and notes them", async () => {
    const { dir, codemap } = await project({ "ok.ts": `import "./broken"` })
    writeFiles(dir, {
      "broken.ts": "export const = {{{ \n// TODO: mend",
      "binary.ts": "a\0b",
      "large.ts": "x".repeat(2 << 20),
      "deep.ts": `${"[".repeat(100_000)}`,
      "functions.ts": "function f(){".repeat(20_000),
      "arrows.ts": `${"a=>".repeat(50_000)}1`,
      "branches.ts": `${"if(a)b;else ".repeat(50_000)}c`,
      "words.ts": `${"await ".repeat(80_000)}c`,
      "signs.ts": `a = ${"!".repeat(300_000)}b`,
      "sums.ts": `a = ${"b + ".repeat(150_000)}c`,
    })
    symlinkSync("..", join(dir, "loop"))
    const { files, edges, notes } = await codemap.scan()
    expect(edges).toEqual([{ from: "ok.ts", to: "broken.ts", kind: "import" }])
    expect(files.map(({ path }) => path)).toContain("deep.ts")
    const tooDeep = ["arrows", "branches", "deep", "functions", "signs", "sums", "words"]
    const whys = Object.fromEntries(notes.map(({ path, why }) => [path, why]))
    expect(whys).toMatchObject({
      ...Object.fromEntries(
        tooDeep.map((name) => [`${name}.ts`, "nested too deeply to be parsed: only comments were read"]),
      ),
      "binary.ts": "not text",
      "large.ts": "larger than 1024 KB",
      "broken.ts": expect.stringContaining("does not parse"),
      loop: "a symbolic link, not followed",
    })
  })
})

describe("inconsistencies", () => {
  async function foundIn(files: Record<string, string>): Promise<string[]> {
    const { codemap } = await project(files)
    return (await codemap.inconsistencies()).map(({ file, line, kind }) => `${file}:${line} ${kind}`)
  }

  it("reports a missing parameter and import with file and line", async () => {
    const open = "export function open(name: string) {}"
    const text = `/**\n * @param name who\n * @param extra not there\n */\n${open}\nimport "./missing"`
    expect((await foundIn({ "a.ts": text })).sort()).toEqual(["a.ts:3 parameter", "a.ts:6 import"])
  })

  const doc = "/**\n * @param a one\n * @param b two\n */\n"
  const made = (name: string) => `import "./+made/${name}"\nimport "../ok"\n`
  it.each([
    {
      name: "overloads, patterns, rests, unused parameters, other comments",
      expected: [],
      files: {
        "a.ts": `
/** @param {object} options as one */
/** @param {string} b second */
export function over(a: string): void
export function over(a: string, b: number): void
export function over(a: unknown, b?: unknown) {}
/** @param props all of it
 * @param props.size how large */
export const View = ({ size }: { size: number }) => size
/** @param {string} [name="x"] optional
 * @param rest the others */
export function take(name = "x", ...args: string[]) {}
import { helper } from "./b"
export class A {
  /** @param x a */
  run<T extends { a: string }>(x: T, cb: (y: string) => void): { b: string } { return helper(x, cb) }
}
/** @param fn wrapped */
export const wrapped = memo((fn: string) => fn)
/**
 * @example
 * \`\`\`
 * /** @param nothing *\\/
 * \`\`\`
 */
export type F = (a: string) => void
/** @param transition not used here */
export function leave(_transition) {}`,
        "b.ts": "export function helper(...all: unknown[]) {}",
      },
    },
    {
      name: "imports of generated files, bundlers, tests, bundles and texts",
      expected: [],
      files: {
        ".gitignore": "*.made.ts\n/out-of-git.js\nnode_modules\n",
        "package.json": `{ "imports": { "#made": "./dist/made.js" } }`,
        "a.ts": `import "./x.made.js"; import "#made"; import "./loader!./file"; import "./node_modules/p/x.js"`,
        "a.mjs": `import "./out-of-git.js"; import "./cup"`,
        "cup.coffee": "",
        "test/given/a.ts": `import "./gone"`,
        "test/cases/a.ts": `import "./gone"; import "../../a"`,
        "all.js": `var m = { 1: [function (require) { require("./packed") }] }\n${"var x = 1\n".repeat(11_000)}`,
        "text.ts": `const code = \`\n  import("./gone")\n  require("./gone")\n\`\nconst b = /\`/, c = require("./cup.coffee")`,
        "text.js": `const code = 'a\\\n import("./gone") '`,
      },
    },
    {
      name: "parameters in a comment of the list, of a stub, of a getter's function",
      expected: ["d.ts:3 parameter"],
      files: {
        "a.js": `class A {\n${doc}  m(a /*, b */) { return a }\n${doc}  stub() {}\n${doc}  get f() { return this.m }\n}\n`,
        "b.ts": `${doc}export function f<T extends (readonly [] | string[])>(a: T, b: T) { return b }\n`,
        "c.ts": `${doc.replace("a one", "{...any} c all").replace("b two", "String dir")}export function g(a: string) {}\n`,
        "d.ts": `${doc}export function h(a: string) { return a }\n`,
      },
    },
    {
      name: "imports of generated folders, mocks, and paths that are right once built",
      expected: ["one/d.ts:1 import"],
      files: {
        "ok.ts": "export {}\n",
        "app/a.ts": made("a"),
        "app/b.ts": made("b"),
        "app/c.ts": made("c"),
        "one/d.ts": `import "./alone/d"\nimport "../ok"\n`,
        "src/a.test.ts": `import "../ok"\njest.mock("./virtual", () => 1)\nimport "./virtual"\nimport "./does-not-exist"\n`,
        "pkg/notes.md": "",
        "pkg/src/lib/e.ts": `import "../../../ok"\nrequire("../notes.md")\n`,
      },
    },
    {
      name: "imports of tests, and compiled files that git ignores",
      expected: ["lib.ts:1 import"],
      files: {
        ".gitignore": "*.js\n",
        "test/a.test.ts": `import "../lib"; import "./gone"`,
        "lib.ts": `import "./gone.js"`,
      },
    },
  ])("reports no false: $name", async ({ files, expected }) => {
    expect(await foundIn(files)).toEqual(expected)
  })

  it("reports comments that name an export removed since the last scan", async () => {
    const { dir, codemap } = await project({
      "a.ts": "export const parseToken = 1\nexport const other = 2",
      "b.ts": "// Goes on from parseToken() with what is left.\nexport const b = 1",
    })
    await codemap.scan()
    expect(await codemap.inconsistencies()).toEqual([])
    writeFiles(dir, { "a.ts": "export const other = 2" })
    const what = "the comment names parseToken, which was removed from a.ts"
    expect(await codemap.inconsistencies()).toEqual([{ file: "b.ts", line: 1, kind: "symbol", what }])
  })
})
