import { join } from "node:path"
import { createAtomic } from "./atomic-write.ts"
import { IGNORE_ALL } from "./git-ignore.ts"
import { existsSync } from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"
import { readText, removeText } from "./text-file.ts"

/**
 * Has git ignore what is HiveMind's own in folders that it shares with an older tool, and nothing of that tool. A file of
 * that name that somebody else has written stays.
 */
export function ignoreOwnNames({ root }: HivePaths): void {
  for (const [folder, text] of Object.entries(OWN_NAMES)) {
    const path = join(root, folder, ".gitignore")
    if (existsSync(join(root, folder)) && !existsSync(path)) createAtomic(path, text)
  }
}

/** Takes these files away again, and those that have git ignore a whole folder. */
export function dropOwnIgnores({ root }: HivePaths, folders: readonly string[]): void {
  for (const folder of folders) {
    const path = join(root, folder, ".gitignore")
    const text = existsSync(path) ? readText(path) : undefined
    if (text !== undefined && (text === IGNORE_ALL || text === OWN_NAMES[folder])) removeText(path)
  }
}

const OWN_NAMES: Readonly<Record<string, string>> = {
  system: IGNORE_ALL,
  templates: IGNORE_ALL,
  project: IGNORE_ALL,
  graph: lines("log/", "parts/", "archive/", "index/", "manifest.*.json", "quarantine.jsonl", ".lock"),
  state: lines(
    ...["injected/", "usage/", "sync.json", "brain.*.json", "counts.*.jsonl", "vocabularies.jsonl"],
    ...["refusals*.jsonl", "told*.jsonl", "starts*.jsonl"],
  ),
}

function lines(...names: string[]): string {
  return ["# HiveMind's own", ".gitignore", ...names, ""].join("\n")
}
