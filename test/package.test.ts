import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { findBun } from "./support/bun.ts"

const root = join(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const shipped = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
  .map((name) => join(root, "dist", name))
  .filter((file) => statSync(file).isFile())
const code = shipped.filter((file) => file.endsWith(".js")).map((file) => readFileSync(file, "utf8"))

describe("the package", () => {
  it("brings no other package, runs nothing when it is installed, and takes at most 3 MB on disk", () => {
    expect(manifest.dependencies ?? {}).toEqual({})
    expect(manifest.optionalDependencies ?? {}).toEqual({})
    expect(Object.keys(manifest.scripts).filter((name) => /install|prepare/.test(name))).toEqual([])
    const files = [...shipped, ...["README.md", "CHANGELOG.md", "LICENSE"].map((name) => join(root, name))]
    // As a disk counts: in blocks.
    const blocks = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / 4096), 0)
    expect((blocks * 4096) / 1e6).toBeLessThanOrEqual(3)
  })

  it("bundles no source file twice", () => {
    for (const name of ["openFileStore", "readCommand", "runCli", "scanHive", "openConflicts", "pack"])
      expect(code.join("\n").split(`function ${name}(`).length - 1, name).toBe(1)
  })

  it("takes the terminal UI's packages from the host, which finds them only where they are imported like this", () => {
    const panel = readFileSync(join(root, "dist", "tui.js"), "utf8")
    const imports = [...panel.matchAll(/from ?"([^"./][^"]*)"/g)].map(([whole]) => whole)
    const packages = imports.filter((each) => !each.includes("node:")).sort()
    expect(packages).toEqual(['from "@opentui/solid"', 'from "solid-js"'])
    const others = shipped.filter((file) => file.endsWith(".js") && !file.endsWith("tui.js"))
    expect(others.filter((file) => /from ?"(@opentui|solid-js)/.test(readFileSync(file, "utf8")))).toEqual([])
  })

  it("imports no names that a module does not export", () => {
    expect(code.filter((text) => /\b__(?:file|dir)name\b/.test(text)).length).toBe(0)
  })

  it("names the licence of every package that is in it", () => {
    const licences = readFileSync(join(root, "dist", "third-party-licences.txt"), "utf8")
    for (const name of "zod commander unbash picomatch jsonc-parser ajv @modelcontextprotocol/sdk".split(" "))
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([A-Z][\\w.-]+\\)$`, "m"))
    expect(licences).toContain("WITHOUT WARRANTY OF ANY KIND")
  })

  it.each([
    ["Node", process.execPath, ["--input-type=module", "-e"]],
    ["Bun", findBun(), ["-e"]],
  ])("an entry that is loaded on %s prints nothing and ends by itself", (_, runtime, args) => {
    for (const entry of ["server/index.js", "api.js"]) {
      const url = pathToFileURL(join(root, "dist", entry)).href
      const script = `console.log(Object.keys(await import(${JSON.stringify(url)})).length > 0)`
      const { stdout, stderr } = spawnSync(runtime, [...args, script], { encoding: "utf8" })
      expect({ stdout, stderr }, entry).toEqual({ stdout: "true\n", stderr: "" })
    }
  })
})
