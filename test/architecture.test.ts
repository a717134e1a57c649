import { readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const src = join(root, "src")

// Who may import whom: a layer may use the layers named with it, and itself. Entry points are not imported by anyone.
const ALLOWED: Record<string, string[]> = {
  shared: [],
  schemas: ["shared"],
  lib: ["schemas", "shared"],
  tools: ["lib", "schemas", "shared"],
  host: ["tools", "lib", "schemas", "shared"],
  hooks: ["tools", "host", "lib", "schemas", "shared"],
  cli: ["hooks", "tools", "host", "lib", "schemas", "shared"],
  tui: ["hooks", "tools", "host", "lib", "schemas", "shared"],
  dashboard: ["hooks", "tools", "host", "lib", "schemas", "shared"],
  index: ["hooks", "tools", "host", "lib", "schemas", "shared"],
  api: ["lib", "schemas", "shared"],
}

it("imports point one way", () => {
  const wrong = sourceFiles().flatMap((file) => {
    const from = layerOf(file)
    return localImports(file)
      .filter((target) => from !== layerOf(target) && !ALLOWED[from]?.includes(layerOf(target)))
      .map((target) => `${relative(src, file)} → ${relative(src, target)}`)
  })
  expect(wrong).toEqual([])
})

it("only host and hooks know OpenCode; the entry point knows its types", () => {
  const knowing = sourceFiles().filter((file) => /from "@opencode-ai\//.test(readFileSync(file, "utf8")))
  expect(knowing.map(layerOf).filter((layer) => !["host", "hooks", "index"].includes(layer))).toEqual([])
})

it("lib reads no environment and prints nothing", () => {
  const wrong = sourceFiles()
    .filter((file) => ["lib", "schemas", "shared", "tools"].includes(layerOf(file)))
    .filter((file) => /process\.(env|std)|console\./.test(readFileSync(file, "utf8")))
  expect(wrong).toEqual([])
})

it("the plugin's start loads two small packages and nothing else from outside", () => {
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
  expect([...outside].sort()).toEqual(["tokenx", "zod"])
})

it("the server module exports the plugin and nothing else", async () => {
  const module = await import(join(root, "dist", "server", "index.js"))
  expect(Object.keys(module)).toEqual(["default"])
  expect(module.default).toEqual({ id: "hivemind", server: expect.any(Function) })
})

it("the package names what it promises, and each is there", async () => {
  const { exports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  expect(Object.keys(exports)).toEqual(["./server", "./api", "./schema.json", "./package.json"])
  const paths = [
    exports["./server"].default,
    exports["./server"].types,
    exports["./api"].default,
    exports["./api"].types,
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

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(src, name))
}

function layerOf(file: string): string {
  return (
    relative(src, file)
      .split("/")[0]
      ?.replace(/\.tsx?$/, "") ?? ""
  )
}

function localImports(file: string): string[] {
  const text = readFileSync(file, "utf8")
  return [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map((match) =>
    resolve(file, "..", match[1] ?? ""),
  )
}

/** Imports that run when the module is loaded: not `import type`, not `import()`. */
function staticImports(file: string): string[] {
  const text = readFileSync(file, "utf8")
  return [...text.matchAll(/^(?:import|export)\s(?!type\s)[^"]*?from "([^"]+)"|^import "([^"]+)"/gm)].map(
    (match) => match[1] ?? match[2] ?? "",
  )
}
