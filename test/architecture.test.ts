import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const src = join(root, "src")

// From the bottom up: a room may use those before it. AGENTS.md has a line for each.
const ROOMS = (
  "shared schemas graph store hive project snapshots sync work knowledge migrate history gate watch " +
  "context queue views api tools turns dashboard tui hosts cli"
).split(" ")
// Entry points: nobody imports them. "." is the folder of index.ts and api.ts.
const ENTRIES = ["."]

it("rooms import only the rooms below them", () => {
  const wrong = imports().filter(({ from, to }) => {
    const [above, below] = [roomOf(from), roomOf(to)]
    if (above === below || ENTRIES.includes(above)) return false
    return !ROOMS.includes(above) || ROOMS.indexOf(below) >= ROOMS.indexOf(above) || ENTRIES.includes(below)
  })
  expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

it("folders have no circular imports, at any depth", () => {
  const graph = folderGraph()
  expect(circles(graph), `the folder graph:\n${drawn(graph)}`).toEqual([])
})

it("only the store writes files; the installer changes the user's configuration", () => {
  const writers = sourceFiles().filter((file) => WRITES_FILES.test(textOf(file)))
  expect(writers.filter((file) => !MAY_WRITE.test(file))).toEqual([])
})

it("only hosts know a host: its packages, tools, arguments and agents", () => {
  const wrong = sourceFiles()
    .filter((file) => !KNOWS_HOSTS.test(file))
    .flatMap((file) =>
      [...withoutComments(textOf(file)).matchAll(HOST_WORDS)].map(([word]) => `${file}: ${word}`),
    )
  expect(wrong).toEqual([])
})

it("texts take tool names from shared/tool-names.ts, so that each of them exists", () => {
  const wrong = sourceFiles()
    .filter((file) => !["tools", "hosts", "cli"].includes(roomOf(file)) && file !== "shared/tool-names.ts")
    // The tags of the packed state begin like a tool's name.
    .filter((file) => /hivemind_(?!state\b|delta\b)/.test(textOf(file)))
  expect(wrong).toEqual([])
})

it("AGENTS.md has a line for each room, and every file that it names exists", () => {
  const text = readFileSync(join(root, "AGENTS.md"), "utf8")
  for (const room of ROOMS) expect(text).toContain(`\n- \`${room}\`: `)
  const named = [...text.matchAll(/`(src\/[^`]+)`/g)].map((match) => match[1] ?? "")
  expect(named.length).toBeGreaterThanOrEqual(20)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it("library rooms read no environment and print nothing", () => {
  const wrong = sourceFiles()
    .filter((file) => !["cli", "hosts", "."].includes(roomOf(file)))
    // The panel finds the user's config; git and the reader of OpenCode's database run in the user's environment.
    .filter((file) => !/^(tui\/opencode2?|project\/git\/run-git|history\/read\/opencode)\.ts$/.test(file))
    .filter((file) => /process\.(env|std)|console\.|from "(node:)?process"/.test(textOf(file)))
  expect(wrong).toEqual([])
})

it("the plugin's start loads only one external package, and a hook process only its own files", () => {
  const start = loadedFrom("index.ts")
  expect(start.packages.filter((name) => !name.startsWith("node:"))).toEqual(["zod"])
  // A small file that others use may be bundled with all of zod, which takes longer to load than Node itself.
  expect(loadedFrom("hosts/hooks/hook-client.ts").files).toEqual([
    "hosts/hooks/hook-client.ts",
    "hosts/hooks/hook-tool.ts",
    "hosts/hooks/socket.ts",
  ])
})

it("the store opens files through hive-fs.ts, which follows no link", () => {
  const direct = sourceFiles()
    .filter((file) => file.startsWith("store/") && !OPENS_FILES.has(file))
    .filter((file) => OPENS_BY_PATH.test(textOf(file)))
  expect(direct).toEqual([])
})

it("the server module exports the plugin and nothing else", async () => {
  const module = await import(join(root, "dist", "server", "index.js"))
  expect(Object.keys(module)).toEqual(["default"])
  const [server, setup] = [expect.any(Function), expect.any(Function)]
  expect(module.default).toEqual({ id: "hivemind", server, setup })
})

it("every export in package.json exists", async () => {
  const { exports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(Object.keys(exports)).toEqual([".", "./server", "./api", "./tui", "./schema.json", "./package.json"])
  const entries = ["./server", "./api", "./tui"].map((name) => exports[name])
  const paths: string[] = entries.flatMap((entry) => [entry.default, entry.types])
  for (const path of [...paths, exports["./schema.json"], bin.hivemind]) {
    expect(readFileSync(join(root, path), "utf8").length).toBeGreaterThan(10)
  }
  const schema = JSON.parse(readFileSync(join(root, exports["./schema.json"]), "utf8"))
  const governance = { default: "assisted", enum: ["assisted", "strict", "off"] }
  expect(schema.properties.governance).toMatchObject(governance)
  for (const [name, option] of Object.entries(schema.properties)) {
    if (name !== "$schema")
      expect(option, name).toMatchObject({ default: expect.anything(), description: expect.any(String) })
  }
})

const textOf = (file: string): string => readFileSync(join(src, file), "utf8")

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => name.replaceAll("\\", "/"))
}

const roomOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : ".")

function imports(): { from: string; to: string }[] {
  return sourceFiles().flatMap((file) => {
    const text = textOf(file)
    return [...text.matchAll(/(?:from|import)\s*\(?\s*["'`](\.[^"'`]+)["'`]/g)].map((match) => ({
      from: file,
      to: relative(src, resolve(src, file, "..", match[1] ?? "")).replaceAll("\\", "/"),
    }))
  })
}

function folderGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of imports()) {
    const [a, b] = [dirname(from), dirname(to)]
    if (a !== b) graph.set(a, (graph.get(a) ?? new Set()).add(b))
  }
  return graph
}

function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reach = (from: string) => {
    const found = new Set<string>()
    const open = [...(graph.get(from) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue
      found.add(next)
      open.push(...(graph.get(next) ?? []))
    }
    return found
  }
  const reached = new Map([...graph.keys()].map((folder) => [folder, reach(folder)]))
  const groups = [...reached].map(([folder, found]) => {
    const circle = [...found].filter((other) => found.has(folder) && reached.get(other)?.has(folder))
    return circle.sort().join(" ⇄ ")
  })
  return [...new Set(groups)].filter((group) => group !== "")
}

function drawn(graph: ReadonlyMap<string, ReadonlySet<string>>): string {
  const lines = [...graph].map(([folder, used]) => `  ${folder} → ${[...used].sort().join(", ")}`)
  return lines.sort().join("\n")
}

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** Files and packages that are loaded with a file of `src`. */
function loadedFrom(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([join(src, entry)])
  const packages = new Set<string>()
  for (const file of files)
    for (const name of staticImports(file))
      if (name.startsWith(".")) files.add(resolve(file, "..", name))
      else packages.add(name)
  return { files: [...files].map((file) => relative(src, file)).sort(), packages: [...packages].sort() }
}

/** Imports that run when the module is loaded: not `import type`, not `import()`. */
function staticImports(file: string): string[] {
  const text = readFileSync(file, "utf8")
  return [...text.matchAll(/^(?:import|export)\s(?!type\s)[^"]*?from "([^"]+)"|^import "([^"]+)"/gm)].map(
    (match) => match[1] ?? match[2] ?? "",
  )
}

// From node:fs only by name, and no name that changes files; atomic writes come from a package.
const WRITES_FILES = new RegExp(
  [
    String.raw`import (\* as )?\w+ from "(node:)?fs`,
    String.raw`import\(\s*["'](node:)?fs`,
    String.raw`import \{[^}]*\b(write|writev|append|rename|unlink|mkdir|mkdtemp|rm|rmdir|cp|copy|truncate|ftruncate|symlink|link|chmod|utimes|open|createWriteStream)(File)?(Sync)?\b[^}]*\} from "(node:)?fs`,
    "write-file-atomic",
  ].join("|"),
)
// The user's dashboard and temporary folders are not under `.hivemind/`.
const OPENS_FILES = new Set(["hive-fs.ts", "scratch-folder.ts"].map((name) => `store/files/${name}`))
const OPENS_BY_PATH =
  /import [^"]*\b(open|readFile|writeFile|appendFile|readdir|mkdir|rename|rm|rmdir|unlink|link|copyFile|cp|exists|stat|createReadStream)(Sync)?\b[^"]*from "node:fs/
// Snapshots lie in git's own folder; a restore writes the user's files.
const MAY_WRITE =
  /^((store|snapshots|cli\/install)\/|work\/restore\/restore-files\.ts|hosts\/hooks\/socket\.ts|project\/git\/write-objects\.ts)/
// OpenCode's files for the installer and doctor, a file for each terminal UI, and a reader for each agent's transcripts.
const KNOWS_HOSTS = /^(hosts\/|history\/read\/|tui\/opencode2?\.ts|cli\/(install|doctor)\/|index\.ts)/
// Packages, fields, tools, agents and events that only OpenCode has; and a call's tool compared with a name, unless it
// is one of our own.
const HOST_WORDS = new RegExp(
  [
    "@opencode-ai/",
    "\\b(filePath|oldString|newString|patchText|subagent_type|(session|message|call|parent|provider|model)ID)\\b",
    "\\b(webfetch|websearch|codesearch|multiedit|apply_patch|todowrite|todoread|MessageAbortedError)\\b",
    '"(explore|chat\\.message|tool\\.execute|session\\.(idle|created|compacted|deleted)|message\\.(part\\.)?updated)',
    '(?<!own\\??\\.)\\btool ?([!=]==|\\.(includes|startsWith|endsWith)\\() ?"',
    '\\bcase "(bash|edit|patch|grep|glob|skill|build)":',
    '\\[("\\w+", ?)*"(bash|edit|multiedit|glob|skill)"',
    '\\bagent [!=]== "',
    "\\bTOOLS? = new Set\\(",
  ].join("|"),
  "g",
)
