import { join } from "node:path/posix"
import { findFile } from "./candidates.ts"
import type { FileTree } from "./file-tree.ts"

/**
 * The source of what a package offers as built files that are not in the tree: `dist/index.js` for `src/index.ts`. By
 * `outDir` and `rootDir` of the package's `tsconfig.json`, else with `src` in place of the build's folder, and last by the
 * name that is asked for (`key`: `.`, `./sub`). Undefined where no file of that name is there.
 */
export function sourceOf(
  tree: FileTree,
  folder: string,
  targets: readonly string[],
  key: string,
): string | undefined {
  const built = targets.filter((target) => target.split("/").some((part) => BUILT.test(part)))
  for (const target of built)
    for (const path of [...byConfig(tree, folder, target), ...byName(target, key)]) {
      const file = scriptAt(tree, join(folder, path))
      if (file !== undefined) return file
    }
  return built.length === 0 ? undefined : findFile(tree, join(folder, "src", key))
}

function byConfig(tree: FileTree, folder: string, target: string): string[] {
  const path = join(folder, "tsconfig.json")
  const options = tree.has(path) ? tree.json(path)?.["compilerOptions"] : undefined
  if (typeof options !== "object" || options === null) return []
  const { outDir, declarationDir, rootDir } = options as Record<string, unknown>
  if (typeof rootDir !== "string") return []
  return [outDir, declarationDir].flatMap((out) => {
    const from = typeof out === "string" ? `${join(out)}/` : undefined
    const file = join(target)
    return from !== undefined && file.startsWith(from) ? [join(rootDir, file.slice(from.length))] : []
  })
}

function byName(target: string, key: string): string[] {
  const parts = join(target).split("/")
  const at = parts.findIndex((part) => BUILT.test(part))
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)]
  const whole = join(...before, "src", ...after)
  const [first = "", ...rest] = after
  // `dist/esm/a.js` and `dist/types/a.d.ts` are one source, unless that folder is what was asked for.
  const isForm = FORM.test(first) && rest.length > 0 && key.split("/")[1] !== first
  const inForm = isForm ? [join(...before, "src", ...rest)] : []
  // With the whole package as its root, a build has `src` below its folder.
  const below = after.includes("src") ? [join(...before, ...after.slice(after.indexOf("src")))] : []
  return [...below, ...inForm, whole]
}

/** The file that is compiled to one of that name. */
function scriptAt(tree: FileTree, path: string): string | undefined {
  const whole = path.replace(/\/$/, "")
  const stem = whole.replace(/\.d\.[cm]?ts$|\.[cm]?jsx?$/, "")
  // `main: "dist"` is its index.
  for (const each of stem === whole ? [stem, `${stem}/index`] : [stem])
    for (const ending of SCRIPTS) if (tree.has(each + ending)) return each + ending
  return undefined
}

const BUILT = /^(?:dist|lib|build|out)(?:-\w+)?$/
const FORM = /^(?:esm?|cjs|mjs|umd|commonjs|module|modules|types|typings|dts|node|browser)$/
const SCRIPTS = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]
