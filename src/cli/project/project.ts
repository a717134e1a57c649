import { HiveError } from "../../shared/error.ts"
import { findProject, hasHive } from "../../store/layout.ts"

/**
 * The nearest folder upwards that HiveMind has been set up in, or just that folder if it was named by `--dir`;
 * a refusal that says so if there is none.
 */
export function openProject(dir: string, dirGiven = false): string {
  const project = dirGiven ? (hasHive(dir) ? dir : undefined) : findProject(dir)
  if (project !== undefined) return project
  throw new HiveError({
    code: "no_project",
    what: "HiveMind is not set up here.",
    why: dirGiven
      ? "The folder has no `.hivemind/` in it."
      : "Neither this folder nor one above it has a `.hivemind/` folder.",
    use_instead: "Run `hivemind init` in the project's folder, or name the project with `--dir`.",
    evidence: dir,
  })
}
