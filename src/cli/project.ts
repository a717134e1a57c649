import { findProject } from "../lib/store/layout.ts"
import { HiveError } from "../shared/error.ts"

/** The nearest folder upwards that HiveMind has been set up in; a refusal that says so if there is none. */
export function openProject(dir: string): string {
  const project = findProject(dir)
  if (project !== undefined) return project
  throw new HiveError({
    code: "no_project",
    what: "HiveMind is not set up here.",
    why: "Neither this folder nor one above it has a `.hivemind/` folder.",
    use_instead: "Run `hivemind init` in the project's folder, or name the project with `--dir`.",
    evidence: dir,
  })
}
