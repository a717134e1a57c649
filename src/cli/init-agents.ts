import { relative } from "node:path"
import { HIVE_FOLDER, hasHive } from "../store/files/layout.ts"
import {
  AGENT_PLUGINS,
  type AgentPlugin,
  findProgram,
  installAgent,
  installSteps,
  missingProgram,
} from "./install/agent-plugins.ts"
import type { ConfigLocation } from "./install/find-opencode-config.ts"
import { setUpHive } from "./install/write-config.ts"
import { backupNote } from "./project/open-project.ts"
import { type CliResult, textLines } from "./terminal/command.ts"
import type { CliIo } from "./terminal/io.ts"
import { ask, declined } from "./terminal/person.ts"

export async function initAgents(
  name: string,
  location: ConfigLocation,
  { io, isAsked }: { io: CliIo; isAsked: boolean },
): Promise<CliResult> {
  const { hiveHome, projectDir } = location
  const chosen = AGENT_PLUGINS.filter((agent) => name === ALL || agent.name === name)
  const isThere = (agent: AgentPlugin) => findProgram(agent, io.env) !== undefined
  const absent = chosen.filter((agent) => !isThere(agent))
  const [missing] = absent
  if (missing !== undefined && absent.length === chosen.length) throw missingProgram(missing)
  const states = await Promise.all(
    chosen.filter(isThere).map(async (agent) => ({ agent, isDone: await agent.isInstalled(location) })),
  )
  const wanted = states.flatMap(({ agent, isDone }) => (isDone ? [] : [agent]))
  const makesHive = !hasHive(hiveHome)
  const changed = makesHive || wanted.length > 0
  const steps = [
    ...(makesHive ? [`make ${HIVE_FOLDER}/ in ${hiveHome}`] : []),
    ...wanted.flatMap((agent) => installSteps(agent).map((step) => `run \`${step}\``)),
  ]
  if (changed && isAsked && !(await ask(`Set HiveMind up: ${steps.join(", ")}?`, "init", io)))
    return declined({ changed: false, project: projectDir })
  const backup = makesHive && (await backupNote({ home: hiveHome, dir: projectDir }))
  const created = (await setUpHive(hiveHome)).map((path) => relative(hiveHome, path))
  for (const agent of wanted) await installAgent(agent, location)
  const notes = textLines([backup, ...wanted.map(({ note }) => note)])
  const described = states.map(({ agent: { title, specifier, file, scope }, isDone }) => {
    if (isDone) return `${title}: has the plugin ${specifier} already`
    const where = scope === "project" ? "this project" : "you, in all projects with a hive"
    return `${title}: installed the plugin ${specifier} for ${where}, in ${file(location)}`
  })
  const programs = wanted.map(({ program }) => `\`${program}\``).join(" or ") || "your agent"
  const agents = states.map(({ agent, isDone }) => ({
    agent: agent.name,
    change: isDone ? "none" : "installed",
  }))
  const not_found = absent.map((agent) => agent.name)
  return {
    data: { changed, project: projectDir, agents, not_found, created, notes },
    text: [
      changed
        ? `HiveMind is set up in ${projectDir}.`
        : `Nothing to do: HiveMind is set up in ${projectDir} already.`,
      ...described.map((line) => `  ${line}`),
      ...absent.map(({ title, program }) => `  ${title}: skipped, there is no \`${program}\` on your PATH`),
      created.length > 0 && `  made ${created.join(", ")}`,
      ...notes.map((note) => `Note: ${note}`),
      changed && `Start ${programs} there. \`hivemind uninstall --agent ${name}\` takes this back.`,
    ],
  }
}

export const ALL = "all"
export const AGENT_NAMES = [...AGENT_PLUGINS.map(({ name }) => name), ALL]
