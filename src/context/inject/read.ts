import { injectedFile } from "../../store/files/injected-file.ts"
import type { HivePaths } from "../../store/layout.ts"
import { type Injection, injection } from "./record.ts"

/** What each message of a session carries, oldest first. A line that is no such record is passed over. */
export function readInjections(paths: HivePaths, session: string): Injection[] {
  return injectedFile(paths, session)
    .read()
    .flatMap((line) => injection.safeParse(line).data ?? [])
}
