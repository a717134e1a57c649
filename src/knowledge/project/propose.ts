import { checkPurposes } from "../../project/scan/declared-checks.ts"
import type { Config } from "../../schemas/config.ts"
import type { ProjectCommand, ProjectMap } from "../../schemas/project-map.ts"

/** What onboarding would change, and what only a person can say. Nothing of it is in force by itself. */
export interface Proposal {
  /** Options for `.hivemind/system/config.json`; null where the present ones fit. Only ever takes paths out of a scope. */
  config: Pick<Config, "path_scopes"> | null
  /** Why each path is taken out. */
  because: string[]
  /** What a task can be verified with. */
  verify: ProjectCommand[]
  questions: string[]
}

export function propose(map: ProjectMap, config: Config): Proposal {
  const taken = pathsToLeave(map)
  const scope = config.path_scopes[EXECUTOR] ?? ["**"]
  const fresh = taken.filter(({ glob }) => !scope.includes(glob))
  const path_scopes = { ...config.path_scopes, [EXECUTOR]: [...scope, ...fresh.map(({ glob }) => glob)] }
  return {
    config: fresh.length === 0 ? null : { path_scopes },
    because: fresh.map(({ glob, why }) => `${glob}: ${why}`),
    verify: map.commands.filter(({ purpose }) => checkPurposes.has(purpose)),
    questions: questionsOf(map, fresh.length > 0),
  }
}

/** Folders that an executor has nothing to write in. */
function pathsToLeave({ governance, structure }: ProjectMap): { glob: string; why: string }[] {
  const governed = governance.flatMap(({ name, folders }) =>
    folders.map((folder) => ({ glob: `!${folder}/**`, why: `${name} looks after it` })),
  )
  const others = structure
    .filter(({ role, path }) => role === "not ours" && !path.includes("/"))
    .map(({ path }) => ({ glob: `!${path}/**`, why: "brought along or generated" }))
  return [...governed, ...others]
}

function questionsOf({ commands, managers, governance }: ProjectMap, hasScopes: boolean): string[] {
  const has = (purpose: ProjectCommand["purpose"]) => commands.some((command) => command.purpose === purpose)
  const usual = commands.filter(({ declared, purpose }) => !declared && checkPurposes.has(purpose))
  const jvm = managers.filter(({ name }) => name === "maven" || name === "gradle")
  return [
    ...(hasScopes
      ? ["Shall hive-executor keep out of these folders? Then put the proposed path_scopes into the config."]
      : []),
    ...(has("test") || has("check") ? [] : ["How is this project tested? No command for it was found."]),
    ...(usual.length > 0
      ? [
          `Are these right? Nobody has written them down: ${usual.map(({ command }) => `\`${command}\``).join(", ")}.`,
        ]
      : []),
    ...(jvm.length > 1 ? [`There are ${jvm.map(({ name }) => name).join(" and ")}: which one counts?`] : []),
    ...(governance.filter(({ kind }) => kind === "framework").length > 1
      ? ["Several frameworks plan work here: which one has the say?"]
      : []),
  ]
}

const EXECUTOR = "hive-executor"
