import { readFileSync } from "node:fs"
import { join } from "node:path"
import ignore from "ignore"
import { type IgnoreTest, NOTHING_IGNORED } from "../tree/walk-folder.ts"

/** The rules of a folder on top of those above it: the last rule that fits decides. */
export function ignoreIn(dir: string, folder: string, above: IgnoreTest): IgnoreTest {
  const text = readText(join(dir, folder, ".gitignore"))
  if (text === "") return above
  const rules = ignore().add(text)
  const prefix = folder === "" ? 0 : folder.length + 1
  return (path) => {
    const { ignored, unignored } = rules.test(path.slice(prefix))
    return ignored || (!unignored && above(path))
  }
}

/** Tests any path of a project, with the rules of all folders above it. */
export function ignoreTest(dir: string): IgnoreTest {
  const known = new Map<string, IgnoreTest>()

  function rulesFor(folder: string): IgnoreTest {
    const above = folder === "" ? NOTHING_IGNORED : rulesFor(parentOf(folder))
    const rules = known.get(folder) ?? ignoreIn(dir, folder, above)
    known.set(folder, rules)
    return rules
  }

  const isIgnored: IgnoreTest = (path) => {
    const parent = parentOf(path.replace(/\/$/, ""))
    return (parent !== "" && isIgnored(`${parent}/`)) || rulesFor(parent)(path)
  }
  return (path) => !path.startsWith("..") && isIgnored(path)
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, MAX_CHARS)
  } catch {
    return "" // Not there, or not readable.
  }
}

const MAX_CHARS = 100_000
