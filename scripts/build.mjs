// Builds dist/: the compiled sources with their types, the plugin as a bundle, and the config's JSON Schema.
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { z } from "zod"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const dist = join(root, "dist")
rmSync(dist, { recursive: true, force: true })

const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc")
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
chmodSync(join(dist, "cli", "main.js"), 0o755)

// OpenCode's start waits until the plugin is loaded, and many small files take long to load. What is only needed later
// stays a separate piece, and packages that are needed later stay packages.
await build({
  entryPoints: { index: join(dist, "index.js") },
  outdir: join(dist, "server"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["jsonc-parser", "picomatch", "unbash"],
  legalComments: "inline",
  logLevel: "warning",
})

// The MCP SDK as one file: as a package it would bring web servers into every project.
const sdk = join(dist, "hosts", "mcp", "sdk.js")
await build({
  entryPoints: [sdk],
  outfile: sdk,
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["zod", "zod/*"],
  minify: true,
  legalComments: "inline",
  logLevel: "warning",
})

const { config } = await import(join(dist, "schemas", "config.js"))
const schema = z.toJSONSchema(config, { io: "input" })
writeFileSync(join(dist, "schema.json"), `${JSON.stringify(schema, null, 2)}\n`)
