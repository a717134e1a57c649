import { join } from "node:path"
import { existsSync, statSync } from "../../store/files/hive-fs.ts"
import { jsonLines } from "../../store/files/json-lines.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { listFiles } from "../../store/files/text-file.ts"
import { type Injection, injection } from "./record.ts"
import { injectionOf01 } from "./upgrade.ts"

/** The frozen injections of one session, `state/injected/<session>.jsonl`. */
export function injectedFile(paths: HivePaths, session: string) {
  // A host's ids are plain; any other character could lead out of the folder.
  const file = jsonLines(join(paths.injected, `${session.replaceAll(/[^\w-]/g, "_")}${ENDING}`))
  return {
    /** What each message of the session carries, oldest first. Lines that are no such record are skipped. */
    read: (): Injection[] => file.read().flatMap((line) => readable.safeParse(line).data ?? []),
    /** In bytes. */
    size: file.size,
    /** Returns how many bytes were added: none where the project has no graph, because a message alone creates none. */
    append: (records: readonly Injection[]): number => (existsSync(paths.graph) ? file.append(records) : 0),
  }
}

/** The session that something was injected into last. */
export function lastInjectedSession(paths: HivePaths): string | undefined {
  return injectedSessions(paths)[0]
}

/** All sessions that something was injected into, the last one first. */
export function injectedSessions(paths: HivePaths): string[] {
  const names = listFiles(paths.injected).filter((name) => name.endsWith(ENDING))
  const dated = names.map((name) => ({ name, time: statSync(join(paths.injected, name)).mtimeMs }))
  return dated
    .sort((a, b) => b.time - a.time || a.name.localeCompare(b.name))
    .map(({ name }) => name.slice(0, -ENDING.length))
}

// Sessions that began under version 0.1 go on.
const readable = injection.or(injectionOf01)
const ENDING = ".jsonl"
