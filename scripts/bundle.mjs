import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

/**
 * Bundles the entries into a folder, with all packages inside. No source is in it twice: what the plugin needs at its start is
 * one piece, which the command line and the API share, and what is needed later is in pieces of its own. Returns the files
 * that went in.
 */
export async function bundle(root, into) {
  const plugin = join(root, "src", "index.ts")
  const commandLine = join(root, "src", "cli", "main.ts")
  const bundler = await rolldown({
    cwd: root,
    input: {
      "server/index": plugin,
      "cli/main": commandLine,
      api: join(root, "src", "api.ts"),
      tui: join(root, "src", "tui", "index.ts"),
    },
    // The terminal UI puts its own in place of these.
    external: [/^@opentui\//, /^solid-js/],
    platform: "node",
    // Old packages ask for their own path, which a module has under another name.
    transform: {
      define: {
        ...{ __filename: "import.meta.filename", __dirname: "import.meta.dirname" },
        HIVEMIND_COMMIT: JSON.stringify(commitOf(root)),
      },
    },
    // What a package has for `main` may be a form that no bundler can follow.
    resolve: {
      mainFields: ["module", "main"],
      // Its form for Node cannot be taken apart: then all of it would be shipped.
      alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
    },
  })
  const { output } = await bundler.write({
    dir: into,
    format: "esm",
    chunkFileNames: "pieces/[name]-[hash].js",
    // Many small files take long to load, and OpenCode's start waits until the plugin is loaded.
    codeSplitting: {
      // A group takes what its modules import, too. What is needed at the start goes first, or it would land in a later piece.
      groups: [
        {
          debugName: "at start",
          name: pieceAtStart(plugin, join(root, "src", "cli", "run.ts")),
          priority: 2,
        },
        { debugName: "later", name: pieceLater(join(root, "src", "cli", "run.ts")), priority: 1 },
      ],
    },
    // The names of functions stay, so that a stack trace says where it was.
    minify: {
      mangle: { toplevel: true, keepNames: { function: true, class: true } },
      compress: { keepNames: { function: true, class: true } },
      codegen: true,
    },
    comments: { legal: false, annotation: false, jsdoc: false },
  })
  await bundler.close()
  chmodSync(join(into, "cli", "main.js"), 0o755)
  spaceHostImports(join(into, "tui.js"))
  return output.flatMap((piece) => (piece.type === "chunk" ? piece.moduleIds : []))
}

/** The commit of the sources, with `+` if they were changed since; null outside of a git repository. */
function commitOf(root) {
  const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" })
  const { status, stdout } = git("rev-parse", "--short=8", "HEAD")
  if (status !== 0) return null
  return `${stdout.trim()}${git("status", "--porcelain").stdout === "" ? "" : "+"}`
}

/** The dashboard's page for the browser, with all that it needs. */
export async function bundlePage(root, into) {
  const page = join(root, "src", "dashboard", "page")
  const bundler = await rolldown({
    cwd: root,
    input: { page: join(page, "main.tsx") },
    platform: "browser",
    tsconfig: join(root, "tsconfig.page.json"),
  })
  const { output } = await bundler.write({
    dir: into,
    format: "esm",
    // One file, which an export can carry with it; what is needed later is run later.
    codeSplitting: false,
    minify: true,
    comments: { legal: false, annotation: false, jsdoc: false },
  })
  await bundler.close()
  copyFileSync(join(page, "index.html"), join(into, "index.html"))
  // In the order of their names.
  const styles = readdirSync(join(page, "styles"))
    .sort()
    .map((name) => join(page, "styles", name))
  writeFileSync(
    join(into, "page.css"),
    styles.map((file) => withoutIndents(readFileSync(file, "utf8"))).join("\n"),
  )
  return output.flatMap((piece) => (piece.type === "chunk" ? piece.moduleIds : []))
}

/** Comments and indentation of a style sheet take a quarter of it. */
function withoutIndents(css) {
  return css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\n\s+/g, "\n")
}

/** OpenCode puts its own packages in place of these imports only where they are written with a space. */
function spaceHostImports(file) {
  const text = readFileSync(file, "utf8")
  writeFileSync(file, text.replaceAll(/from"(@opentui\/[^"]+|solid-js)"/g, ' from "$1"'))
}

/**
 * What both need before they run, and what the plugin alone does, as one piece each. Without the entries: others load those
 * pieces too, and must not run them.
 */
function pieceAtStart(plugin, commandLine) {
  let reached
  return (id, graph) => {
    reached ??= { plugin: reachedFrom(plugin, graph), commandLine: reachedFrom(commandLine, graph) }
    if (id === plugin || id === commandLine) return null
    // An agent starts it at each hook: one small file.
    if (HOOK_CLIENT.test(id)) return "hook"
    if (!reached.plugin.has(id)) return null
    return reached.commandLine.has(id) ? "base" : "core"
  }
}

/** Pieces that neither the plugin nor the command line needs at its start. */
function pieceLater(commandLine) {
  let reached
  return (id, graph) => {
    reached ??= reachedFrom(commandLine, graph)
    return reached.has(id) ? null : (LATER.exec(id)?.[1] ?? null)
  }
}

// Many small files that are needed together: each would take a block of the disk.
const LATER = /[\\/]src[\\/](?:cli[\\/](?=terminal)|project[\\/](?=codemap))?(terminal|views|codemap)[\\/]/

const HOOK_CLIENT = /[\\/]hosts[\\/]hooks[\\/](hook-client|hook-tool|socket)\.ts$/

function reachedFrom(entry, graph) {
  const reached = new Set([entry])
  for (const found of reached) {
    for (const next of graph.getModuleInfo(found)?.importedIds ?? []) reached.add(next)
  }
  return reached
}
