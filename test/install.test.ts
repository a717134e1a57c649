import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, expect, it } from "vitest"
import { longRun } from "./support/effort.ts"

const root = join(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const folder = mkdtempSync(join(tmpdir(), "hivemind-install-"))
let tarball = ""

beforeAll(() => {
  const packed = npm(root, "pack", "--ignore-scripts", "--json", "--pack-destination", folder)
  tarball = join(folder, JSON.parse(packed)[0].filename)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("publint finds nothing to improve in the packed package", async () => {
  const packed = readFileSync(tarball)
  const bytes = packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.byteLength)
  const { messages } = await publint({ pack: { tarball: bytes }, strict: true })
  expect(messages.map((message) => formatMessage(message, manifest, { color: false }))).toEqual([])
})

it("every entry has types that TypeScript finds in a project of modules", () => {
  const bin = join(root, "node_modules", "@arethetypeswrong", "cli", "dist", "index.js")
  const { status, stdout } = spawnSync(process.execPath, [bin, tarball, "--profile", "esm-only"], {
    encoding: "utf8",
  })
  expect(status, stdout).toBe(0)
})

// In the long form also on other versions of Node, from the package registry.
it.each(["this Node", ...(longRun ? ["22", "24"] : [])])(
  "the packed package is installed into a project, used, and removed without a trace: %s",
  (version) => {
    const node = version === "this Node" ? process.execPath : installNode(version)
    const project = join(folder, `project ${version}`)
    const home = join(folder, `home ${version}`)
    for (const dir of [project, home]) mkdirSync(dir)
    writeFileSync(join(project, "package.json"), '{ "name": "shop", "private": true }\n')
    const before = filesIn(project)
    // Without the programs of this repository: OpenCode makes folders of its own when it is asked for its version.
    const all = (process.env["PATH"] ?? "").split(delimiter)
    const PATH = [dirname(node), ...all.filter((each) => !each.includes("node_modules"))].join(delimiter)
    const homes = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, ".config") }
    const env = { ...process.env, PATH, ...homes }
    const run = (...args: string[]) => {
      const bin = join(project, "node_modules", "hivemind-opencode", "dist", "cli", "main.js")
      const { stdout, stderr } = spawnSync(node, [bin, ...args], { cwd: project, env, encoding: "utf8" })
      expect(stderr, args.join(" ")).toBe("")
      return stdout
    }
    npm(project, "install", "--no-save", "--no-package-lock", "--offline", "--ignore-scripts", tarball)
    expect(run("--version")).toMatch(new RegExp(`^${manifest.version}( \\(commit [0-9a-f]{8}\\+?\\))?\n$`))
    run("init", "--team", "--yes")
    run("remember", "Sessions are JWTs", "--kind", "decision")
    expect(run("recall", "how are sessions kept")).toContain("Sessions are JWTs")
    expect(JSON.parse(run("doctor", "--no-start", "--json")).version).toBe(manifest.version)
    run("uninstall", "--purge", "--yes")
    npm(project, "uninstall", "--no-save", "--no-package-lock", "--offline", "hivemind-opencode")
    rmSync(join(project, "node_modules"), { recursive: true, force: true })
    expect(filesIn(project)).toEqual(before)
    expect(filesIn(home)).toEqual({})
  },
)

/** The program of that version; the registry has one package per system. */
function installNode(version: string): string {
  const system = process.platform === "win32" ? "win" : process.platform
  const name = `node-${system}-${process.arch}`
  const into = join(folder, `node ${version}`)
  mkdirSync(into)
  writeFileSync(join(into, "package.json"), '{ "private": true }\n')
  npm(into, "install", "--no-audit", "--no-fund", `${name}@${version}`)
  return join(into, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node")
}

function npm(cwd: string, ...args: string[]): string {
  // On Windows it is a script, which only a shell starts.
  const shell = process.platform === "win32"
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: "pipe", shell })
}

function filesIn(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, entry.isFile() ? readFileSync(path, "utf8") : ""]
    }),
  )
}
