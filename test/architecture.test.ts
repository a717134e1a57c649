import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const src = join(root, "src")

// From the bottom up: a room may use those before it. AGENTS.md has a line for each.
const ROOMS = [
  "shared",
  "schemas",
  "graph",
  "store",
  "hive",
  "project",
  "snapshots",
  "sync",
  "work",
  "knowledge",
  "migrate",
  "history",
  "gate",
  "watch",
  "context",
  "queue",
  "views",
  "api",
  "tools",
  "turns",
  "dashboard",
  "tui",
  "hosts",
  "cli",
]
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

it("no folders import each other in a circle, at any depth", () => {
  const graph = folderGraph()
  expect(circles(graph), `the folder graph:\n${drawn(graph)}`).toEqual([])
})

it("only the store writes files; the installer changes the user's configuration", () => {
  const writers = sourceFiles().filter((file) => WRITES_FILES.test(readFileSync(join(src, file), "utf8")))
  expect(writers.filter((file) => !MAY_WRITE.test(file))).toEqual([])
})

it("only hosts know a host: its packages, tools, arguments and agents", () => {
  const wrong = sourceFiles()
    // The installer and doctor know OpenCode's files, the panel has a file for each terminal UI, and past sessions a reader
    // for each agent's transcripts.
    .filter(
      (file) =>
        !/^(hosts\/|history\/read\/|tui\/opencode2?\.ts|cli\/(install|doctor)\/|index\.ts)/.test(file),
    )
    .flatMap((file) => {
      const text = withoutComments(readFileSync(join(src, file), "utf8"))
      return [...text.matchAll(HOST_WORDS)].map(([word]) => `${file}: ${word}`)
    })
  expect(wrong).toEqual([])
})

it("texts name our tools through shared/tool-names.ts only, so that they name none that does not exist", () => {
  const wrong = sourceFiles()
    .filter((file) => !["tools", "hosts", "cli"].includes(roomOf(file)) && file !== "shared/tool-names.ts")
    // The tags of the packed state begin like a tool's name.
    .filter((file) => /hivemind_(?!state\b|delta\b)/.test(readFileSync(join(src, file), "utf8")))
  expect(wrong).toEqual([])
})

it("AGENTS.md has a line for each room, and every file its map names is there", () => {
  const text = readFileSync(join(root, "AGENTS.md"), "utf8")
  for (const room of ROOMS) expect(text).toContain(`\n- \`${room}\`: `)
  const named = [...text.matchAll(/`(src\/[^`]+)`/g)].map((match) => match[1] ?? "")
  expect(named.length).toBeGreaterThanOrEqual(20)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it("library rooms read no environment and print nothing", () => {
  const wrong = sourceFiles()
    .filter((file) => !["cli", "hosts", "."].includes(roomOf(file)))
    // As the hosts do, they find the user's config.
    .filter((file) => !/^tui\/opencode2?\.ts$/.test(file))
    // Git runs in the environment of its user, with a few words added.
    .filter((file) => file !== "project/git/run-git.ts")
    .filter((file) =>
      /process\.(env|std)|console\.|from "(node:)?process"/.test(readFileSync(join(src, file), "utf8")),
    )
  expect(wrong).toEqual([])
})

it("the plugin's start loads one package and nothing else from outside", () => {
  const seen = new Set<string>()
  const outside = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const name of staticImports(file)) {
      if (name.startsWith(".")) visit(resolve(file, "..", name))
      else if (!name.startsWith("node:")) outside.add(name)
    }
  }
  visit(join(src, "index.ts"))
  expect([...outside].sort()).toEqual(["zod"])
})

it("the store opens files through hive-fs.ts, which follows no link", () => {
  const direct = sourceFiles()
    .filter((file) => file.startsWith("store/") && !OPENS_FILES.has(file))
    .filter((file) => OPENS_BY_PATH.test(readFileSync(join(src, file), "utf8")))
  expect(direct).toEqual([])
})

it("the server module exports the plugin and nothing else", async () => {
  const module = await import(join(root, "dist", "server", "index.js"))
  expect(Object.keys(module)).toEqual(["default"])
  expect(module.default).toEqual({
    id: "hivemind",
    server: expect.any(Function),
    setup: expect.any(Function),
  })
})

it("the package names what it promises, and each is there", async () => {
  const { exports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(Object.keys(exports)).toEqual([".", "./server", "./api", "./tui", "./schema.json", "./package.json"])
  const paths = [
    exports["./server"].default,
    exports["./server"].types,
    exports["./api"].default,
    exports["./api"].types,
    exports["./tui"].default,
    exports["./tui"].types,
  ]
  for (const path of [...paths, exports["./schema.json"], bin.hivemind]) {
    expect(readFileSync(join(root, path), "utf8").length).toBeGreaterThan(10)
  }
  const schema = JSON.parse(readFileSync(join(root, exports["./schema.json"]), "utf8"))
  expect(schema.properties.governance).toMatchObject({
    default: "assisted",
    enum: ["assisted", "strict", "off"],
  })
  for (const [name, option] of Object.entries(schema.properties)) {
    if (name !== "$schema")
      expect(option, name).toMatchObject({ default: expect.anything(), description: expect.any(String) })
  }
})

/** Relative to `src/`. */
function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => name.replaceAll("\\", "/"))
}

function roomOf(file: string): string {
  return file.includes("/") ? (file.split("/")[0] ?? "") : "."
}

function imports(): { from: string; to: string }[] {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(join(src, file), "utf8")
    return [...text.matchAll(/(?:from|import)\s*\(?\s*["'`](\.[^"'`]+)["'`]/g)].map((match) => ({
      from: file,
      to: relative(src, resolve(src, file, "..", match[1] ?? "")).replaceAll("\\", "/"),
    }))
  })
}

/** Which folders each folder imports. */
function folderGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of imports()) {
    const [a, b] = [dirname(from), dirname(to)]
    if (a !== b) graph.set(a, (graph.get(a) ?? new Set()).add(b))
  }
  return graph
}

/** Groups of folders of which each reaches the others. */
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
  const groups = [...reached].flatMap(([folder, found]) => {
    if (!found.has(folder)) return []
    return [
      [...found]
        .filter((other) => reached.get(other)?.has(folder))
        .sort()
        .join(" ⇄ "),
    ]
  })
  return [...new Set(groups)]
}

function drawn(graph: ReadonlyMap<string, ReadonlySet<string>>): string {
  return [...graph]
    .sort()
    .map(([folder, used]) => `  ${folder} → ${[...used].sort().join(", ")}`)
    .join("\n")
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
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
